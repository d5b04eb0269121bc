/** Looks into any JVM on this machine with JDK tools: the attach API, management beans, Flight Recorder, dumps. */
package threadlab.inspect;
