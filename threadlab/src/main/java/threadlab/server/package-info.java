/**
 * Starts Spring applications whose classes stand in cells. Like {@link threadlab.db}, it is in the second jar, with the
 * libraries that it uses.
 */
package threadlab.server;
