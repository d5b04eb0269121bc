/**
 * Services with a hidden fault, to be found with {@code threadlab.inspect} and {@code threadlab.load}: the cause lies
 * in the data, the files and the neighbours of a service, not in its source alone.
 *
 * <p>This package is in threadlab-servers.jar, which a notebook adds with the line {@code %libraries servers}.
 */
package threadlab.cases;
