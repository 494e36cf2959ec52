package io.github.redislock.samples.cluster.worker;

import java.net.URI;
import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * How a worker works.
 *
 * @param name what it is called
 * @param demo where the demonstration listens
 * @param step how long one step takes
 * @param hangChance how many of its holds it sleeps away, from 0 to 1
 * @param hangFor for how long
 */
@ConfigurationProperties("worker")
record WorkerProperties(String name, URI demo, Duration step, double hangChance, Duration hangFor) {
}
