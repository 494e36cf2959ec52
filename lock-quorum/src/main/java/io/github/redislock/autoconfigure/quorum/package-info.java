/**
 * Spring Boot configuration of locks on several independent servers.
 */
@NullMarked
package io.github.redislock.autoconfigure.quorum;

import org.jspecify.annotations.NullMarked;
