package io.rowlock.interceptor;

import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.OnLost;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.DistributedSemaphore;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.OnBusy;
import io.rowlock.annotation.OncePerCluster;
import io.rowlock.annotation.ReadLock;
import io.rowlock.annotation.WriteLock;
import io.rowlock.interceptor.GuardedMethod.Kind;
import io.rowlock.interceptor.LockInterceptorSettings.OfName;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/** Turns the annotation of one method into a {@link GuardedMethod}, or says what is wrong with it. */
record LockAnnotationParser(
        StringValueResolver placeholders, LockInterceptorSettings configured, BeanResolver beans, KeyText texts) {
    static final Map<Class<? extends Annotation>, LockMode> MODES = Map.of(
            DistributedLock.class, LockMode.EXCLUSIVE,
            WriteLock.class, LockMode.EXCLUSIVE,
            ReadLock.class, LockMode.SHARED,
            DistributedSemaphore.class, LockMode.PERMIT);

    /** {@code #{…}}, {@code #variable} or {@code @bean.}; not the {@code @} of an e-mail address. */
    private static final Pattern EXPRESSION =
            Pattern.compile("#\\{|#[\\p{Alpha}_$]|(?<![\\w.])@[\\p{Alpha}_$][\\w$]*\\.");
    /** Of dynamic-datasource, whose synchronizations cannot roll back: what they throw leaves the transaction open on its thread. */
    private static final String DS_TRANSACTIONAL = "com.baomidou.dynamic.datasource.annotation.DSTransactional";

    /** Zero needs no unit. */
    private static final Pattern BARE_NUMBER = Pattern.compile("[+-]?0*[1-9]\\d*");

    GuardedMethod parse(MergedAnnotation<?> annotation, Method method, Class<?> beanClass) {
        try {
            return parsed(annotation, method, beanClass);
        } catch (IllegalArgumentException | ParseException failure) {
            throw new InvalidLockAnnotationException(
                    beanClass, method, label(annotation) + " is not valid: " + failure.getMessage(), null, failure);
        }
    }

    private GuardedMethod parsed(MergedAnnotation<?> annotation, Method method, Class<?> beanClass) {
        String fallbackName = text(annotation, "fallback");
        Method fallback = fallbackName == null ? null : fallback(fallbackName, method, beanClass);
        String name = name(annotation, method, beanClass);
        String key = annotation.getString("key").isBlank() ? null : annotation.getString("key");
        requireKey(name, key);
        OfName settings = configured.of(name);
        String prefix = name == null ? "" : name + ":";
        String shortest = name != null && key == null ? name : prefix + "*";
        LockRequest sample = sample(annotation, name, shortest, settings);
        OnBusy onBusy = Objects.requireNonNullElse(settings.onBusy(), annotation.getEnum("onBusy", OnBusy.class));
        Method whenBusy = settings.onBusy() == null ? fallback : null;
        rejectWhatCannotBeGuarded(method, beanClass, onBusy, whenBusy, sample.onLost());
        Method annotated = annotation.getSource() instanceof Method source ? source : null;
        return new GuardedMethod(
                beanClass,
                method,
                annotated != null,
                Kind.of(sample, method),
                name,
                key == null ? null : expression(key, prefix, annotated == null ? method : annotated, method, beanClass),
                sample,
                onBusy,
                whenBusy,
                isOncePerCluster(annotation));
    }

    /** Refuses an expression as a name, which is a literal: with "order:#orderId" all orders would share one lock. */
    private static void requireKey(@Nullable String name, @Nullable String key) {
        if (name != null && EXPRESSION.matcher(name).find()) {
            throw new IllegalArgumentException(
                    "the name \"%s\" is a literal, but looks like an expression, so all calls would share one lock; write the expression into key, as in name = \"order\", key = \"#orderId\", or key = \"'%s'\" to mean that text literally"
                            .formatted(name, name.replace("'", "''")));
        }
        if (name == null && key == null) {
            throw new IllegalArgumentException("it has neither a name nor a key");
        }
    }

    private LockRequest sample(MergedAnnotation<?> annotation, @Nullable String name, String key, OfName settings) {
        LockMode mode = MODES.getOrDefault(annotation.getType(), LockMode.EXCLUSIVE);
        return new LockRequest(
                List.of(key),
                mode,
                firstOf(settings.ttl(), duration(annotation, "ttl")),
                firstOf(settings.waitTime(), duration(annotation, "waitTime")),
                null,
                firstOf(settings.strategy(), text(annotation, "strategy")),
                Objects.requireNonNullElse(
                        firstOf(settings.holdAtLeast(), duration(annotation, "holdAtLeast")), Duration.ZERO),
                GuardedMethod.nameOf(name, List.of(key)),
                annotation.getEnum("onLost", OnLost.class),
                mode == LockMode.PERMIT
                        ? Objects.requireNonNullElseGet(settings.permits(), () -> permits(annotation))
                        : 0);
    }

    /** @throws IllegalArgumentException if every call would fail */
    private KeyExpression expression(String key, String prefix, Method annotated, Method method, Class<?> beanClass) {
        var parsed = new SpelExpressionParser().parseRaw(key);
        var positions = KeyExpression.positions(annotated, method);
        var expression = new KeyExpression(parsed, prefix, annotated, method, beanClass, beans, texts, positions);
        expression.check();
        return expression;
    }

    private static <T> @Nullable T firstOf(@Nullable T set, @Nullable T annotated) {
        return set == null ? annotated : set;
    }

    private @Nullable String name(MergedAnnotation<?> annotation, Method method, Class<?> beanClass) {
        String name = text(annotation, "name");
        return name == null && isOncePerCluster(annotation)
                ? ClassUtils.getShortName(beanClass) + "." + method.getName()
                : name;
    }

    private static void rejectWhatCannotBeGuarded(
            Method method, Class<?> beanClass, OnBusy onBusy, @Nullable Method fallback, OnLost onLost) {
        if (fallback != null && onBusy == OnBusy.SKIP) {
            throw new IllegalArgumentException("it has both onBusy = SKIP and the fallback \"%s\"; only one can apply"
                    .formatted(fallback.getName()));
        }
        Class<?> unseen = ResultTypes.unseenIn(method, beanClass);
        if (unseen != null) {
            throw new IllegalArgumentException(
                    "it returns a %s, %s".formatted(unseen.getTypeName(), ResultTypes.REMEDY));
        }
        if (Stream.of(method, beanClass)
                .anyMatch(each -> MergedAnnotations.from(each, SearchStrategy.TYPE_HIERARCHY)
                        .isPresent(DS_TRANSACTIONAL))) {
            throw new IllegalArgumentException(
                    "it is @DSTransactional, which commits though the lock is lost; use @Transactional");
        }
        Class<?> returned = method.getReturnType();
        if (onBusy == OnBusy.SKIP) {
            SkippedResult.requireFor(method, "with onBusy = SKIP");
        }
        if (onLost == OnLost.THROW && !ResultTypes.canBeReplaced(returned)) {
            throw new IllegalArgumentException(
                    "onLost = THROW cannot end a %s with an exception; return a CompletionStage or a CompletableFuture"
                            .formatted(returned.getTypeName()));
        }
        if (onLost == OnLost.INTERRUPT && ResultTypes.isAsynchronous(returned)) {
            throw new IllegalArgumentException(
                    "onLost = INTERRUPT has no thread to interrupt, because the work of a method that returns %s may be done by another one"
                            .formatted(returned.getTypeName()));
        }
        if (KotlinDetector.isSuspendingFunction(method)) {
            throw new IllegalArgumentException("a suspending function changes threads and cannot be locked");
        }
    }

    private @Nullable Duration duration(MergedAnnotation<?> annotation, String attribute) {
        String value = text(annotation, attribute);
        if (value == null) {
            return null;
        }
        if (BARE_NUMBER.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "%s \"%s\" has no unit; give it one, such as \"%ss\"".formatted(attribute, value, value));
        }
        try {
            return DurationFormatterUtils.detectAndParse(value);
        } catch (IllegalArgumentException | ArithmeticException failure) {
            throw new IllegalArgumentException(
                    "%s \"%s\" is not a duration such as \"30s\" or \"PT30S\"".formatted(attribute, value), failure);
        }
    }

    private int permits(MergedAnnotation<?> annotation) {
        String value = text(annotation, "permits");
        try {
            return Integer.parseInt(String.valueOf(value));
        } catch (NumberFormatException failure) {
            throw new IllegalArgumentException(
                    "permits \"%s\" is not a number from 1 to %d".formatted(value, LockRequest.MAX_PERMITS), failure);
        }
    }

    private @Nullable String text(MergedAnnotation<?> annotation, String attribute) {
        return resolved(attribute, annotation.getString(attribute));
    }

    /**
     * Returns the text of an attribute without blanks around it, or null if there is none.
     *
     * @throws IllegalArgumentException if a placeholder is not resolved; names what the text is
     */
    @Nullable
    String resolved(String what, String raw) {
        String text = placeholders.resolveStringValue(raw);
        if (text != null && text.contains("${")) {
            throw new IllegalArgumentException(
                    "%s \"%s\" has a placeholder that is not resolved".formatted(what, text));
        }
        return text == null || text.isBlank() ? null : text.strip();
    }

    /** Returns true if the annotation of a class names the method as the one that is called instead of others; if unreadable, others tell. */
    boolean isFallback(MergedAnnotation<?> annotation, Method method) {
        try {
            return method.getName().equals(text(annotation, "fallback"));
        } catch (IllegalArgumentException unreadable) {
            return false;
        }
    }

    /** Finds the method that is called instead of a guarded one. */
    private static Method fallback(String name, Method guarded, Class<?> beanClass) {
        Method fallback = ReflectionUtils.findMethod(beanClass, name, guarded.getParameterTypes());
        if (fallback == null) {
            throw new IllegalArgumentException("the fallback \"%s\" does not exist: no method %s in %s or above"
                    .formatted(name, signature(name, guarded), beanClass.getName()));
        }
        Class<?> asked = guarded.getReturnType();
        Class<?> returned = fallback.getReturnType();
        if (asked != void.class && !ClassUtils.isAssignable(asked, returned)) {
            throw new IllegalArgumentException("the fallback \"%s\" returns %s, which is no %s"
                    .formatted(name, returned.getTypeName(), asked.getTypeName()));
        }
        return fallback;
    }

    private static String signature(String name, Method guarded) {
        return Arrays.stream(guarded.getParameterTypes())
                .map(Class::getTypeName)
                .collect(Collectors.joining(", ", name + "(", ")"));
    }

    // ---- the annotation

    /**
     * Finds the annotation nearest to the element: its own, else that of what it overrides, extends or implements. Its attributes are merged
     * with those of annotations that are made of it.
     */
    static @Nullable MergedAnnotation<?> nearest(AnnotatedElement element) {
        List<MergedAnnotation<?>> found = found(element);
        List<MergedAnnotation<?>> candidates = found.stream()
                .filter(one -> one.getAggregateIndex() == found.get(0).getAggregateIndex())
                .sorted(Comparator.comparing(LockAnnotationParser::isCopy))
                .toList();
        if (candidates.stream().map(MergedAnnotation::synthesize).distinct().count() > 1) {
            throw new IllegalArgumentException(element + " has more than one lock annotation: "
                    + candidates.stream()
                            .map(LockAnnotationParser::label)
                            .sorted()
                            .collect(Collectors.joining(", ")));
        }
        return candidates.stream().findFirst().orElse(null);
    }

    /** Compilers copy annotations to the bridges of a method; a proxy of an interface overrides both. */
    private static boolean isCopy(MergedAnnotation<?> annotation) {
        return annotation.getSource() instanceof Method method && method.isBridge();
    }

    static List<MergedAnnotation<?>> found(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream()
                .filter(one -> MODES.containsKey(one.getType()))
                .<MergedAnnotation<?>>map(one -> one)
                .toList();
    }

    /** @return whether it is a {@link OncePerCluster}, or made of one */
    private static boolean isOncePerCluster(MergedAnnotation<?> annotation) {
        return annotation.getMetaTypes().contains(OncePerCluster.class);
    }

    /** Returns the name of the annotation as it is written. */
    private static String label(MergedAnnotation<?> annotation) {
        return "@" + annotation.getRoot().getType().getSimpleName();
    }
}
