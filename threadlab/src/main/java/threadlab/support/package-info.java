/** What the packages of this library share and no cell names: arguments, numbers, CPU times, progress. */
package threadlab.support;
