package io.rowlock.sample;

import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.stereotype.Component;
import org.springframework.util.StringUtils;

/**
 * The two nodes of the application: this one, which serves the page, and a second one without it. The second is the same
 * application started once more in this JVM; the two share the database and nothing else.
 */
@Component
@ConditionalOnWebApplication
@DependsOnDatabaseInitialization
class Nodes implements DisposableBean {

    private final BeanFactory first;
    private final ConfigurableApplicationContext second;

    Nodes(BeanFactory first, JdbcConnectionDetails database, ApplicationArguments arguments) {
        this.first = first;
        this.second = new SpringApplicationBuilder(SampleApplication.class)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .initializers(context -> context.getBeanFactory().registerSingleton("sameDatabase", database))
                .run(StringUtils.addStringToArray(arguments.getSourceArgs(), "--sample.node=node-2"));
    }

    /** The same service on each node. */
    <T> List<T> all(Class<T> service) {
        return List.of(first.getBean(service), second.getBean(service));
    }

    @Override
    public void destroy() {
        second.close();
    }
}
