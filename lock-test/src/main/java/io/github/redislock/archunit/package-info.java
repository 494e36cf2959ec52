/**
 * Rules for ArchUnit by which applications check their own code. Needs ArchUnit, which
 * nothing else does.
 */
@NullMarked
package io.github.redislock.archunit;

import org.jspecify.annotations.NullMarked;
