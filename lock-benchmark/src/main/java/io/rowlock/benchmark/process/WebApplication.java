package io.rowlock.benchmark.process;

import com.sun.management.OperatingSystemMXBean;
import io.rowlock.annotation.DistributedLock;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Main class: starts a small web application, calls its service once, and prints what both took. It runs with Rowlock on the class path and
 * without: Java ignores an annotation whose class is missing.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class WebApplication {
    static final String RESULT = "started ";

    /** Set to true for an application that opens a connection before it is ready, as Rowlock does. */
    static final String CONNECTS = "benchmark.connects";

    public static void main(String[] arguments) throws SQLException {
        ConfigurableApplicationContext context = SpringApplication.run(WebApplication.class, arguments);
        if (Boolean.getBoolean(CONNECTS)) {
            context.getBean(DataSource.class).getConnection().close();
        }
        long wall = ManagementFactory.getRuntimeMXBean().getUptime();
        double cpu =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime() / 1e6;
        Orders orders = context.getBean(Orders.class);
        long begin = System.nanoTime();
        orders.count();
        double first = (System.nanoTime() - begin) / 1e6;
        System.out.println(RESULT + wall + " " + cpu + " " + first);
        System.exit(0);
    }

    @Bean
    Orders orders(JdbcTemplate jdbc) {
        return new Orders(jdbc);
    }

    static class Orders {
        private final JdbcTemplate jdbc;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLock("orders")
        @Transactional
        public int count() {
            Integer orders = jdbc.queryForObject("SELECT COUNT(*) FROM benchmark_row", Integer.class);
            return orders == null ? 0 : orders;
        }
    }

    @RestController
    static class OrderController {
        private final Orders orders;

        OrderController(Orders orders) {
            this.orders = orders;
        }

        @GetMapping("/orders")
        int orders() {
            return orders.count();
        }
    }
}
