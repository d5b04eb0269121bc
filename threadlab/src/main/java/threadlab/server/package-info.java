/**
 * Real servers for the notebooks that need some: Spring applications of classes that stand in cells, in the
 * kernel's JVM or in one of their own, and a PostgreSQL.
 *
 * <p>This package is in threadlab-servers.jar, which a notebook adds with the line {@code %libraries servers}.
 */
package threadlab.server;
