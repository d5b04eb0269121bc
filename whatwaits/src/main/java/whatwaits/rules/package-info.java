/**
 * What the data of a JVM says: a dump is parsed and grouped, limits are found, a verdict is reached. This package only
 * computes: no input or output, no threads, no reflection, no {@code String.format}. So it also compiles to JavaScript.
 */
package whatwaits.rules;
