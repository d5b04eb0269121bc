/** HTTP load on a server of this machine, measured so that the figures can be trusted. */
package threadlab.load;
