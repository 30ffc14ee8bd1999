package io.rowlock.test;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Finds each method, constructor and field that classes name in the libraries on the class path, and each abstract method that they lack.
 * Compiled against one line of Spring Boot and run with another ({@code -Dmaven.main.skip=true -Dspring-boot.version=…}), this says if one
 * jar fits both.
 */
public final class Linkage {
    private final Set<String> missing = new TreeSet<>();
    private final Map<String, Boolean> known = new HashMap<>();
    private int references;

    /** @param modules one class of each jar, or directory of classes, that is looked through */
    public static Linkage of(Class<?>... modules) {
        Linkage linkage = new Linkage();
        try {
            for (Class<?> module : modules) {
                for (byte[] type : classes(module)) {
                    linkage.read(new ClassReader(type));
                }
            }
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        return linkage;
    }

    /** @return what is not there; empty if all fits */
    public Set<String> missing() {
        return missing;
    }

    /** @return how many references there are */
    public int references() {
        return references;
    }

    private void read(ClassReader reader) {
        reader.accept(new References(), ClassReader.SKIP_FRAMES | ClassReader.SKIP_DEBUG);
        requireComplete(reader.getClassName());
    }

    private static List<byte[]> classes(Class<?> module) throws IOException, URISyntaxException {
        URI location =
                module.getProtectionDomain().getCodeSource().getLocation().toURI();
        Path path = Path.of(location);
        if (Files.isDirectory(path)) {
            return classes(path);
        }
        try (var jar = FileSystems.newFileSystem(path)) {
            return classes(jar.getPath("/"));
        }
    }

    private static List<byte[]> classes(Path root) throws IOException {
        List<byte[]> all = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".class")).toList()) {
                all.add(Files.readAllBytes(file));
            }
        }
        return all;
    }

    private void requireComplete(String internalName) {
        try {
            Class<?> type = load(internalName);
            if (!Modifier.isAbstract(type.getModifiers()) && !type.isInterface()) {
                Arrays.stream(type.getMethods())
                        .filter(method -> Modifier.isAbstract(method.getModifiers()))
                        .forEach(method -> missing.add(internalName + " lacks " + method));
            }
        } catch (ClassNotFoundException | LinkageError failure) {
            missing.add(internalName + ": " + failure);
        }
    }

    private static Class<?> load(String internalName) throws ClassNotFoundException {
        return ClassUtils.forName(Type.getObjectType(internalName).getClassName(), Linkage.class.getClassLoader());
    }

    private void require(String owner, String name, String descriptor) {
        references++;
        if (!owner.startsWith("java/") && !owner.startsWith("[")) {
            String reference = owner + "." + name + descriptor;
            if (!known.computeIfAbsent(reference, each -> isThere(owner, name, descriptor))) {
                missing.add(reference);
            }
        }
    }

    private static boolean isThere(String owner, String name, String descriptor) {
        try {
            Class<?> type = load(owner);
            return name.equals("<init>")
                    ? Arrays.stream(type.getDeclaredConstructors())
                            .map(Type::getConstructorDescriptor)
                            .anyMatch(descriptor::equals)
                    : isIn(type, name, descriptor) || (type.isInterface() && isIn(Object.class, name, descriptor));
        } catch (ClassNotFoundException | LinkageError failure) {
            return false;
        }
    }

    private static boolean isIn(Class<?> type, String name, String descriptor) {
        return Stream.concat(
                                Arrays.stream(type.getDeclaredMethods())
                                        .filter(method -> method.getName().equals(name))
                                        .map(Type::getMethodDescriptor),
                                Arrays.stream(type.getDeclaredFields())
                                        .filter(field -> field.getName().equals(name))
                                        .map(field -> Type.getDescriptor(field.getType())))
                        .anyMatch(descriptor::equals)
                || Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()))
                        .anyMatch(above -> isIn(above, name, descriptor))
                || isSignaturePolymorphic(type);
    }

    private static boolean isSignaturePolymorphic(Class<?> type) {
        return type.getName().startsWith("java.lang.invoke.");
    }

    private final class References extends ClassVisitor {
        References() {
            super(Opcodes.ASM9);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String generic, String[] thrown) {
            return new MethodVisitor(Opcodes.ASM9) {
                @Override
                public void visitMethodInsn(
                        int opcode, String owner, String name, String descriptor, boolean isInterface) {
                    require(owner, name, descriptor);
                }

                @Override
                public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
                    require(owner, name, descriptor);
                }

                @Override
                public void visitInvokeDynamicInsn(
                        String name, String descriptor, Handle bootstrap, Object... arguments) {
                    for (Object argument : arguments) {
                        if (argument instanceof Handle handle) {
                            require(handle.getOwner(), handle.getName(), handle.getDesc());
                        }
                    }
                }
            };
        }
    }
}
