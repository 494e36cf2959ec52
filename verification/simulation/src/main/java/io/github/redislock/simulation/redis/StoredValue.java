package io.github.redislock.simulation.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * The value of a key, of one of the types that the scripts use. Immutable. Each char of a
 * text is one byte (ISO 8859-1).
 */
public sealed interface StoredValue {

	/**
	 * A string.
	 *
	 * @param content the bytes of the string
	 */
	record Text(String content) implements StoredValue {
	}

	/**
	 * A hash.
	 *
	 * @param fields the values by field, in the order of the fields
	 */
	record Hash(SortedMap<String, String> fields) implements StoredValue {

		static final Hash EMPTY = new Hash(Collections.emptySortedMap());

		Hash with(String field, String value) {
			SortedMap<String, String> changed = new TreeMap<>(this.fields);
			changed.put(field, value);
			return new Hash(Collections.unmodifiableSortedMap(changed));
		}

		Hash without(String field) {
			SortedMap<String, String> changed = new TreeMap<>(this.fields);
			changed.remove(field);
			return new Hash(Collections.unmodifiableSortedMap(changed));
		}

	}

	/**
	 * A sorted set.
	 *
	 * @param members the members sorted by score, and by their bytes if scores are equal
	 */
	record SortedSet(List<Member> members) implements StoredValue {

		static final SortedSet EMPTY = new SortedSet(List.of());

		public @Nullable Double score(String name) {
			// There are only a few members.
			for (Member member : this.members) {
				if (member.name().equals(name)) {
					return member.score();
				}
			}
			return null;
		}

		SortedSet with(String name, double score) {
			List<Member> changed = copyWithout(name);
			Member member = new Member(name, score);
			changed.add(-Collections.binarySearch(changed, member) - 1, member);
			return new SortedSet(Collections.unmodifiableList(changed));
		}

		SortedSet without(String name) {
			return new SortedSet(Collections.unmodifiableList(copyWithout(name)));
		}

		private List<Member> copyWithout(String name) {
			List<Member> copy = new ArrayList<>(this.members.size() + 1);
			for (Member member : this.members) {
				if (!member.name().equals(name)) {
					copy.add(member);
				}
			}
			return copy;
		}

	}

	/**
	 * A member of a sorted set.
	 *
	 * @param name the bytes of the member
	 * @param score the score
	 */
	record Member(String name, double score) implements Comparable<Member> {

		@Override
		public int compareTo(Member other) {
			// Unlike Double.compare, this treats both zeros as equal, as Redis does.
			if (this.score != other.score) {
				return (this.score < other.score) ? -1 : 1;
			}
			return this.name.compareTo(other.name);
		}

	}

}
