package io.github.redislock.interceptor.declaration;

import java.lang.reflect.Array;
import java.util.Iterator;
import java.util.stream.BaseStream;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * The elements of a key that is several values, gone through once. Closed after use,
 * since a stream may hold something open.
 */
final class KeyElements implements AutoCloseable {

	private final Iterator<? extends @Nullable Object> elements;

	private final Runnable end;

	private KeyElements(Iterator<? extends @Nullable Object> elements, Runnable end) {
		this.elements = elements;
		this.end = end;
	}

	/**
	 * Return the elements of an array, a stream or a collection.
	 */
	static KeyElements of(Object values) {
		if (values instanceof BaseStream<?, ?> stream) {
			return new KeyElements(stream.iterator(), stream::close);
		}
		if (values instanceof Iterable<?> iterable) {
			return new KeyElements(iterable.iterator(), () -> {
			});
		}
		return new KeyElements(
				IntStream.range(0, Array.getLength(values)).mapToObj((index) -> Array.get(values, index)).iterator(),
				() -> {
				});
	}

	boolean hasNext() {
		return this.elements.hasNext();
	}

	@Nullable Object next() {
		return this.elements.next();
	}

	@Override
	public void close() {
		this.end.run();
	}

}
