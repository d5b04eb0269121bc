/** Compares stack traces: whose frames they hold, and which of our methods they name. */
package threadlab.trace;
