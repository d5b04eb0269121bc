/** Draws tables of measurements as charts, all in one theme. */
package threadlab.plot;
