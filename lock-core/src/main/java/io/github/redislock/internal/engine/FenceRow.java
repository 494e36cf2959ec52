package io.github.redislock.internal.engine;

import java.util.Comparator;
import java.util.stream.Stream;

import io.github.redislock.LockFence;

/**
 * What a fence must admit for one lock of a holder.
 *
 * @param fence admits or refuses the holder
 * @param lockName the name of the lock
 * @param token the fencing token of the hold
 * @param holder the part of the owner token that is not secret
 */
public record FenceRow(LockFence fence, String lockName, long token, String holder) {

	static void admit(Stream<FenceRow> rows) {
		// In the same order in all transactions, so that no two of them wait for each
		// other.
		rows.distinct()
			.sorted(Comparator.comparing(FenceRow::lockName))
			.forEach((row) -> row.fence.admit(row.lockName, row.token, row.holder));
	}

}
