/** Shows which carrier a virtual thread was on and when, and sets how many carriers there are. */
package threadlab.carriers;
