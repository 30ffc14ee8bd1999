package io.rowlock.sample.stage;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Refuses changes that another web site asks a visitor's browser for. A browser names the site in {@code Origin}; a host name
 * other than {@code localhost} could be that of a site whose owner has pointed it to this machine, an address could not.
 */
@Component
class OriginCheck implements HandlerInterceptor, WebMvcConfigurer {

    private static final Set<String> UNCHANGING = Set.of("GET", "HEAD", "OPTIONS");

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this);
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (request.getHeader(HttpHeaders.ORIGIN) != null
                && !UNCHANGING.contains(request.getMethod())
                && (CorsUtils.isCorsRequest(request) || !request.getServerName().matches("localhost|[0-9.]+|\\[.*"))) {
            throw new Refusal(HttpStatus.FORBIDDEN, "Only this page, at localhost or an address, may ask for changes.");
        }
        return true;
    }
}
