/**
 * Auto-configuration of Redis Lock for Spring Boot.
 */
@NullMarked
package io.github.redislock.autoconfigure;

import org.jspecify.annotations.NullMarked;
