/** Looks into any JVM on this machine by the JDK's means: the attach API, management beans, Flight Recorder, dumps. */
package threadlab.inspect;
