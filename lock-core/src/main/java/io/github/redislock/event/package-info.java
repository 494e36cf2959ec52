/**
 * What happens to locks, as events of the application.
 */
@NullMarked
package io.github.redislock.event;

import org.jspecify.annotations.NullMarked;
