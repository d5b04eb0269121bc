/** Looks at a running JVM: attaches, samples, takes dumps, records events, reads a service's metrics and logs. */
package whatwaits.look;
