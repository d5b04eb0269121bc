/**
 * Real servers for the notebooks that need them: Spring applications made of classes in cells, in the kernel's JVM or
 * in one of their own, and a PostgreSQL.
 *
 * <p>This package is in threadlab-servers.jar, which a notebook adds with the line {@code %libraries servers}.
 */
package threadlab.server;
