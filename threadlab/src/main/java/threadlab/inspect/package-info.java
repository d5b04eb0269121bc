/** Looks into any JVM of this machine by the JDK's own doors: the attach API, its management beans, Flight Recorder, dumps. */
package threadlab.inspect;
