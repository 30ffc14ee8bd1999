package io.rowlock.interceptor;

import io.rowlock.Printable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The key expression of one method. It can use the arguments, by name and by position. SpEL takes an unknown variable for null, so that a
 * typing error would fail every call; {@link #check} finds it at start-up. Thread-safe.
 *
 * @param prefix the beginning of each key, which may be empty
 * @param annotated the method whose parameter names the expression uses: the one that carries the annotation
 */
record KeyExpression(
        SpelExpression expression,
        String prefix,
        Method annotated,
        Method method,
        Class<?> beanClass,
        BeanResolver beans,
        KeyText texts,
        Map<String, Integer> positions) {
    private static final DefaultParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
    private static final Properties PROPERTIES = new Properties();

    /** The properties of the root object of a key, which an argument that lacks its {@code #} is looked for in. */
    private static final Set<String> ROOT = Set.of("method", "methodName", "args", "target", "targetClass");

    /** Returns the positions of the arguments by the names that the expression may use. */
    static Map<String, Integer> positions(Method annotated, Method method) {
        Map<String, Integer> positions = new HashMap<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            positions.put("p" + i, i);
            positions.put("a" + i, i);
        }
        for (Method each : List.of(method, annotated)) { // a name of both is meant as the annotated one uses it
            @Nullable String[] names = NAMES.getParameterNames(each);
            for (int i = 0; names != null && i < names.length; i++) {
                if (names[i] != null) {
                    positions.put(names[i], i);
                }
            }
        }
        return positions;
    }

    /**
     * Evaluates the expression.
     *
     * @return the lock keys of a call, at least one
     * @throws IllegalArgumentException if there are none
     */
    List<String> of(@Nullable Object[] arguments, @Nullable Object target) {
        Root call = new Root(method, arguments, target, beanClass);
        try {
            List<String> values = texts.of(expression.getValue(context(call)), !prefix.isEmpty());
            return values.stream().map(prefix::concat).toList();
        } catch (EvaluationException | IllegalArgumentException failure) {
            throw new IllegalArgumentException(
                    "The lock key \"%s\" of %s.%s cannot be used: %s; %s"
                            .formatted(
                                    text(),
                                    beanClass.getName(),
                                    method.getName(),
                                    Printable.of(String.valueOf(failure.getMessage())),
                                    describe()),
                    failure);
        }
    }

    String text() {
        return expression.getExpressionString();
    }

    private EvaluationContext context(Root call) {
        StandardEvaluationContext context = new StandardEvaluationContext(call);
        context.setBeanResolver(beans);
        positions.forEach((name, position) -> context.setVariable(name, call.args[position]));
        return context;
    }

    /** Shows a call as {@code #root} of a key expression: SpEL reads the properties by these methods. */
    @SuppressWarnings("ArrayRecordComponent") // compared by no code, and shown to expressions as it is
    record Root(
            Method method,
            @Nullable Object[] args,
            @Nullable Object target,
            Class<?> targetClass) {
        public String methodName() {
            return method.getName();
        }
    }

    /** @throws IllegalArgumentException if every call would fail */
    void check() {
        check(expression.getAST(), true);
    }

    /**
     * Checks the variables, and the first property read from each where the declared type tells which there are.
     *
     * @param ofCall whether a property is one of the call, which has no others than {@link #ROOT}
     * @throws IllegalArgumentException if there is no such variable or property
     */
    private void check(SpelNode node, boolean ofCall) {
        if (ofCall && node instanceof PropertyOrFieldReference property && !ROOT.contains(property.getName())) {
            throw new IllegalArgumentException("the key \"%s\" reads \"%s\", which is no variable; write \"#%s\"; %s"
                    .formatted(text(), property.getName(), property.getName(), describe()));
        }
        if (node instanceof VariableReference variable && !isKnown(nameOf(variable))) {
            throw new IllegalArgumentException("the key \"%s\" uses the unknown variable %s; %s"
                    .formatted(text(), variable.toStringAST(), describe()));
        }
        if (node instanceof VariableReference variable
                && nameOf(variable).equals("root")
                && positions.containsKey("root")) {
            throw new IllegalArgumentException(
                    "the key \"%s\" uses #root, which is the call and not the parameter of that name; write #p%d"
                            .formatted(text(), positions.get("root")));
        }
        int first = 0;
        if (node instanceof CompoundExpression path
                && path.getChild(0) instanceof VariableReference variable
                && path.getChild(1) instanceof PropertyOrFieldReference property) {
            Class<?> type = typeOf(nameOf(variable));
            boolean isRead = !decides(type) || PROPERTIES.exists(property.getName(), type);
            if (nameOf(variable).equals("root") && ROOT.contains(property.getName()) && !isRead) {
                first = 1; // it can only be the call's, though a parameter is called root
            } else if (!isRead) {
                throw new IllegalArgumentException("the key \"%s\" reads the property \"%s\", which %s does not have"
                        .formatted(text(), property.getName(), type.getName()));
            }
        }
        boolean ofElements = node instanceof Projection
                || node instanceof Selection
                || node instanceof Indexer
                || node instanceof InlineMap;
        for (int i = first; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            boolean ofOther = node instanceof CompoundExpression && i > 0 && child instanceof PropertyOrFieldReference;
            check(child, ofCall && !ofElements && !ofOther);
        }
    }

    private boolean isKnown(String name) {
        return name.equals("root") || name.equals("this") || positions.containsKey(name);
    }

    private static String nameOf(VariableReference variable) {
        return variable.toStringAST().substring(1);
    }

    private Class<?> typeOf(String variable) {
        Integer position = positions.get(variable);
        if (position != null) {
            return method.getParameterTypes()[position];
        }
        return variable.equals("root") ? Root.class : Object.class;
    }

    /** An interface, an abstract class, a map or an array may have at run time what its declared type has not. */
    private static boolean decides(Class<?> type) {
        return !type.isInterface()
                && !type.isArray()
                && !type.isPrimitive()
                && !Modifier.isAbstract(type.getModifiers())
                && type != Object.class
                && type != Optional.class
                && !Map.class.isAssignableFrom(type);
    }

    /** @return the variables a key can use, as a part of a sentence */
    private String describe() {
        int count = annotated.getParameterCount();
        if (count == 0) {
            return "the method has no parameters";
        }
        @Nullable String[] names = NAMES.getParameterNames(annotated);
        String numbered = count == 1 ? "#p0" : "#p0 to #p" + (count - 1);
        return names == null
                ? "its parameter names are unknown (compile with -parameters), so only " + numbered + " can be used"
                : "known parameters: #" + String.join(", #", names) + " (or " + numbered + ")";
    }

    /** Finds what SpEL would read, without a value to read it from. */
    private static final class Properties extends ReflectivePropertyAccessor {
        boolean exists(String name, Class<?> type) {
            return findGetterForProperty(name, type, false) != null || findField(name, type, false) != null;
        }
    }
}
