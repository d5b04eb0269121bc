/** HTTP load on a server on this machine, measured so that the figures can be trusted. */
package threadlab.load;
