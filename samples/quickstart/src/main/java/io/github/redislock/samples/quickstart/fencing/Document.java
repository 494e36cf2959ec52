package io.github.redislock.samples.quickstart.fencing;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * The latest content of a document, and the fencing token of the hold that wrote it.
 */
@Table
record Document(@Id @Nullable Long id, String name, String content, long fencingToken) {

	Document with(String content, long fencingToken) {
		return new Document(this.id, this.name, content, fencingToken);
	}

}
