package io.rowlock.sample.input;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.List;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Refuses unknown parameters: a misspelled one would silently get its default. */
@Component
@Profile("!node")
class KnownParameters implements HandlerInterceptor, WebMvcConfigurer {
    private static final String OURS = "io.rowlock.sample.";

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this);
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (handler instanceof HandlerMethod method && isOurs(method)) {
            List<String> known = known(method.getMethod());
            request.getParameterMap().keySet().stream()
                    .filter(name -> !known.contains(name))
                    .findFirst()
                    .ifPresent(name -> {
                        throw BadInputException.unknown("parameter", name, known);
                    });
        }
        return true;
    }

    /** Not Spring Boot's, which explains errors and reads no parameters. */
    private static boolean isOurs(HandlerMethod method) {
        return method.getBeanType().getName().startsWith(OURS);
    }

    private static List<String> known(Method method) {
        List<String> names = new ArrayList<>();
        for (Parameter parameter : method.getParameters()) {
            RequestParam declared = parameter.getAnnotation(RequestParam.class);
            if (declared != null) {
                names.add(declared.name().isEmpty() ? parameter.getName() : declared.name());
            }
        }
        return names;
    }
}
