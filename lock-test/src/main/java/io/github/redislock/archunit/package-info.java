/**
 * ArchUnit rules with which applications can check their own code. Only this package
 * needs ArchUnit.
 */
@NullMarked
package io.github.redislock.archunit;

import org.jspecify.annotations.NullMarked;
