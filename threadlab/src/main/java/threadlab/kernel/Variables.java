package threadlab.kernel;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import jdk.jshell.JShell;
import jdk.jshell.VarSnippet;

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
            homes.put(variable.name(), classes.find(JShellInternals.className(variable)));
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
        var name = dropped.name();
        var before = homes.get(name);
        var value = valueOf(name); // the declaration may use the same class again, and set the variable to 0
        var events = shell.eval(dropped.typeName() + " " + name + ";");
        var fresh = events.getFirst();
        if (!fresh.status().isDefined() || !(fresh.snippet() instanceof VarSnippet variable)) {
            homes.remove(name);
            return false;
        }
        try {
            declared(variable);
            if (field(homes.get(name), name).getType() == field(before, name).getType()) {
                field(homes.get(name), name).set(null, value);
            } else if (value != null) {
                lost.add(name);
            }
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
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
