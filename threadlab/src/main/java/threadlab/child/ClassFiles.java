package threadlab.child;

import java.util.ServiceLoader;

/** Reads the class files of classes that are in no library: those of a notebook's cells, of which a kernel knows. */
public interface ClassFiles {
    /**
     * {@return the bytes of a class file}
     *
     * @param name the full name of its class
     * @param loader the loader of the class
     * @throws IllegalStateException if they cannot be read, with the reason
     */
    byte[] read(String name, ClassLoader loader);

    /** {@return the reader of the environment that runs this code, found by {@link ServiceLoader}} */
    static ClassFiles installed() {
        return ServiceLoader.load(ClassFiles.class, ClassFiles.class.getClassLoader())
                .findFirst()
                .orElseThrow();
    }
}
