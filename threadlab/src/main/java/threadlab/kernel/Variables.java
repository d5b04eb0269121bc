package threadlab.kernel;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jshell.JShell;
import jdk.jshell.TypeDeclSnippet;
import jdk.jshell.VarSnippet;
import threadlab.cells.Types;

/**
 * The variables of the session. JShell keeps each in a static field of a class of its own, and makes another class
 * whenever it compiles the declaration again; the value would stay behind.
 */
final class Variables {

    /** Finds a class that JShell has loaded. */
    interface Classes {
        Class<?> find(String name) throws ClassNotFoundException;
    }

    /** By the name of a variable, the class that holds it. */
    private final Map<String, Class<?>> homes = new HashMap<>();

    private final Set<String> moved = new HashSet<>();
    private final Set<String> lost = new HashSet<>();
    private final Classes classes;
    private JShell shell;

    Variables(Classes classes) {
        this.classes = classes;
    }

    void use(JShell shell) {
        this.shell = shell;
    }

    /** Copies the value of a variable into the class that replaces its own, unless the variable is declared anew. */
    void carryOver(Class<?> type) throws ReflectiveOperationException {
        var moved = shell.variables()
                .filter(variable -> JShellInternals.className(variable).equals(type.getName()))
                .findFirst();
        if (moved.isPresent() && homes.putIfAbsent(moved.get().name(), type) != null) {
            copy(moved.get().name(), type);
        }
    }

    private void copy(String variable, Class<?> type) throws ReflectiveOperationException {
        var old = field(homes.put(variable, type), variable);
        moved.add(variable);
        var now = field(type, variable);
        if (now.getType() == old.getType()) {
            now.set(null, old.get(null));
        } else if (old.get(null) != null) {
            lost.add(variable);
        }
    }

    private static Field field(Class<?> type, String variable) throws ReflectiveOperationException {
        var field = type.getDeclaredField(variable);
        field.setAccessible(true);
        return field;
    }

    /** A variable was declared. */
    void declared(VarSnippet variable) {
        try {
            var home = classes.find(JShellInternals.className(variable));
            var before = homes.put(variable.name(), home);
            if (before != null && before != home) {
                moved.add(variable.name());
            }
        } catch (ClassNotFoundException e) {
            homes.remove(variable.name());
        }
    }

    /** The variables that have been declared. */
    Set<String> names() {
        return homes.keySet();
    }

    /** Declares a variable by its type alone, because JShell has dropped it; it keeps its value if it can. */
    boolean declareAgain(VarSnippet dropped) {
        return declareAgain(dropped, dropped.typeName());
    }

    private boolean declareAgain(VarSnippet dropped, String typeName) {
        var name = dropped.name();
        var before = homes.get(name);
        var value = valueOf(name); // the declaration may use the same class again, and set the variable to 0
        var events = shell.eval(typeName + " " + name + ";");
        var fresh = events.getFirst();
        if (!fresh.status().isDefined() || !(fresh.snippet() instanceof VarSnippet variable)) {
            homes.remove(name);
            return false;
        }
        try {
            declared(variable);
            var type = field(homes.get(name), name).getType();
            boolean simplified = !typeName.equals(dropped.typeName()) && type.isInstance(value);
            if (type == field(before, name).getType() || simplified) {
                field(homes.get(name), name).set(null, value);
            } else if (value != null) {
                lost.add(name);
            }
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /**
     * Declares a variable by a type that can be written. A {@code var} may have one that cannot, such as that of
     * {@code List.of(1, "a")}, and the compiler fails on code that uses it.
     */
    void simplify(VarSnippet variable) {
        if (variable.typeName().contains("&")) {
            var own = shell.types().map(TypeDeclSnippet::name).collect(Collectors.toSet());
            declareAgain(variable, Types.plain(variable.typeName(), own::contains));
        }
    }

    /** The variables whose class was replaced since this was last asked: what keeps the old one sees it no more. */
    Set<String> takeMoved() {
        var taken = Set.copyOf(moved);
        moved.clear();
        return taken;
    }

    /** Whether a variable has lost its value since this was last asked. */
    boolean hasLost(String variable) {
        return lost.remove(variable);
    }

    /** The value of a variable. */
    Object valueOf(String variable) {
        try {
            return field(homes.get(variable), variable).get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sets a variable that holds an object to null. */
    void clear(String variable) {
        try {
            var field = field(homes.get(variable), variable);
            if (!field.getType().isPrimitive()) {
                field.set(null, null);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A variable is no longer declared. */
    void forget(String variable) {
        homes.remove(variable);
    }

    /** Forgets the value of an expression. */
    void drop(VarSnippet temporary) {
        declared(temporary);
        if (homes.containsKey(temporary.name())) {
            clear(temporary.name());
        }
        homes.remove(temporary.name());
        shell.drop(temporary);
    }
}
