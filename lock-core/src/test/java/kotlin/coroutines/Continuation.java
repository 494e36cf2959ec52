package kotlin.coroutines;

/**
 * Stands in for the type by which suspend functions are known, without Kotlin.
 */
public interface Continuation<T> {

}
