/**
 * Stands in for Kotlin.
 */
package kotlin.coroutines;
