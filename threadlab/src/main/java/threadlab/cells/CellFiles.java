package threadlab.cells;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.FieldModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.FieldRefEntry;
import java.lang.classfile.constantpool.MethodRefEntry;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tech.tablesaw.api.Table;
import tech.tablesaw.io.DataFrameReader;

/** The class files of cells: JShell drops modifiers of variables, and some calls must reach the page. */
public final class CellFiles {

    /** A method of which another class, in its place, has a static one that also takes the object. */
    private record Replaced(ClassDesc owner, String name, MethodTypeDesc type, ClassDesc by) {

        static Replaced of(Class<?> by, Class<?> owner, String name, Class<?> result, Class<?>... with) {
            var types = Stream.of(with).map(CellFiles::named).toArray(ClassDesc[]::new);
            return new Replaced(named(owner), name, MethodTypeDesc.of(named(result), types), named(by));
        }

        boolean is(ClassDesc of, String called, MethodTypeDesc as) {
            return called.equals(name) && of.equals(owner) && as.equals(type);
        }
    }

    private static final List<Replaced> REPLACED = List.of(
            Replaced.of(CellProcesses.class, ProcessBuilder.class, "start", Process.class),
            Replaced.of(CellTables.class, DataFrameReader.class, "csv", Table.class, String.class),
            Replaced.of(CellTables.class, DataFrameReader.class, "csv", Table.class, File.class));

    /** By its name, what JShell has compiled. */
    private final Map<String, byte[]> loaded = new HashMap<>();

    private final Set<String> volatiles = new HashSet<>();
    private final Set<String> finals = new HashSet<>();
    private final Set<String> assigned = new HashSet<>();

    /** Made for one kernel. */
    public CellFiles() {}

    /**
     * A variable is about to be declared.
     *
     * @param variable its name
     * @param modifiers the words before its type
     */
    public void declares(String variable, Set<String> modifiers) {
        forgets(variable);
        if (modifiers.contains("volatile")) {
            volatiles.add(variable);
        }
        if (modifiers.contains("final")) {
            finals.add(variable);
        }
    }

    /**
     * A variable was declared without a modifier.
     *
     * @param variable its name
     */
    public void forgets(String variable) {
        volatiles.remove(variable);
        finals.remove(variable);
    }

    /**
     * The final variables that code assigns which was loaded since this was last asked.
     *
     * @return their names
     */
    public Set<String> takeAssigned() {
        var taken = Set.copyOf(assigned);
        assigned.clear();
        return taken;
    }

    /**
     * A class is loaded.
     *
     * @param name its full name
     * @param file what JShell has compiled
     */
    public void loaded(String name, byte[] file) {
        loaded.put(name, file);
    }

    /**
     * Whether a class means the same as the loaded one: its lines and its constants' order may differ.
     *
     * @param name its full name
     * @param file what JShell has compiled now
     * @return false also if none was loaded
     */
    public boolean isSame(String name, byte[] file) {
        return loaded.containsKey(name) && Arrays.equals(plain(file), plain(loaded.get(name)));
    }

    private static byte[] plain(byte[] file) {
        var classes = ClassFile.of(
                ClassFile.DebugElementsOption.DROP_DEBUG,
                ClassFile.LineNumbersOption.DROP_LINE_NUMBERS,
                ClassFile.StackMapsOption.DROP_STACK_MAPS, // to make them, classes of other cells would be needed
                ClassFile.ConstantPoolSharingOption.NEW_POOL);
        return classes.transformClass(classes.parse(file), ClassTransform.ACCEPT_ALL);
    }

    /**
     * What is loaded instead of what JShell has compiled.
     *
     * @param file a class
     * @return the class with the modifiers of its variable, and with calls that reach the page
     */
    public byte[] rewritten(byte[] file) {
        var classes = ClassFile.of(
                ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing((ClassDesc type) -> {
                            var known = loaded.get(type.descriptorString()
                                    .replaceAll("^L|;$", "")
                                    .replace('/', '.'));
                            return known == null ? null : new ByteArrayInputStream(known);
                        })
                        .orElse(ClassHierarchyResolver.ofClassLoading(getClass().getClassLoader()))));
        var parsed = classes.parse(file);
        var transform = ClassTransform.ACCEPT_ALL;
        boolean replaces = false;
        for (var entry : parsed.constantPool()) {
            replaces |= entry instanceof MethodRefEntry method
                    && replaced(method.owner().asSymbol(), method.name().stringValue(), method.typeSymbol())
                            .isPresent();
            if (entry instanceof FieldRefEntry field
                    && finals.contains(field.name().stringValue())) {
                noteAssigned(parsed, field);
            }
        }
        if (replaces) {
            transform = ClassTransform.transformingMethodBodies(replacing());
        }
        if (parsed.fields().stream().anyMatch(this::isVolatile)) {
            transform = transform.andThen((builder, element) -> {
                if (element instanceof FieldModel field && isVolatile(field)) {
                    builder.withField(field.fieldName(), field.fieldType(), made -> {
                        field.forEach(made);
                        made.withFlags(field.flags().flagsMask() | ClassFile.ACC_VOLATILE);
                    });
                } else {
                    builder.with(element);
                }
            });
        }
        return transform == ClassTransform.ACCEPT_ALL ? file : classes.transformClass(parsed, transform);
    }

    private static ClassDesc named(Class<?> type) {
        return ClassDesc.of(type.getName());
    }

    private static Optional<Replaced> replaced(ClassDesc owner, String name, MethodTypeDesc type) {
        return REPLACED.stream().filter(one -> one.is(owner, name, type)).findFirst();
    }

    private static CodeTransform replacing() {
        return (code, element) -> {
            var found = element instanceof InvokeInstruction call && call.opcode() == Opcode.INVOKEVIRTUAL
                    ? replaced(call.owner().asSymbol(), call.name().stringValue(), call.typeSymbol())
                    : Optional.<Replaced>empty();
            found.ifPresentOrElse(
                    one -> code.invokestatic(one.by, one.name, one.type.insertParameterTypes(0, one.owner)),
                    () -> code.with(element));
        };
    }

    private boolean isVolatile(FieldModel field) {
        return (field.flags().flagsMask() & ClassFile.ACC_STATIC) != 0
                && volatiles.contains(field.fieldName().stringValue());
    }

    /** Whether another class than that of the variable itself sets it. */
    private void noteAssigned(ClassModel parsed, FieldRefEntry field) {
        if (field.owner().equals(parsed.thisClass())
                || !field.owner().asInternalName().startsWith("REPL/$JShell$")) {
            return;
        }
        boolean sets = parsed.methods().stream()
                .flatMap(method -> method.code().stream())
                .flatMap(code -> code.elementList().stream())
                .anyMatch(element -> element instanceof FieldInstruction set
                        && set.opcode() == Opcode.PUTSTATIC
                        && set.field().equals(field));
        if (sets) {
            assigned.add(field.name().stringValue());
        }
    }
}
