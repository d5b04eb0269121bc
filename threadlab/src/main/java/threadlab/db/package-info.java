/**
 * A real database for the notebooks that need one.
 *
 * <p>This package is in threadlab-servers.jar, which a notebook adds with the line {@code %libraries servers}.
 */
package threadlab.db;
