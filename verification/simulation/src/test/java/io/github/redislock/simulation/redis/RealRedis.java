package io.github.redislock.simulation.redis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A connection to a real server, which sends commands and returns their replies
 * unchanged.
 */
final class RealRedis implements AutoCloseable {

	private final Socket socket;

	private final InputStream input;

	private final OutputStream output;

	RealRedis(int port) throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
		this.socket.setTcpNoDelay(true);
		this.socket.setSoTimeout(60_000);
		this.input = new BufferedInputStream(this.socket.getInputStream());
		this.output = new BufferedOutputStream(this.socket.getOutputStream());
	}

	/**
	 * Write a command, which is sent by the next {@link #reply()} at the latest.
	 */
	void send(List<byte[]> words) throws IOException {
		line("*" + words.size());
		for (byte[] word : words) {
			line("$" + word.length);
			this.output.write(word);
			line("");
		}
	}

	/**
	 * Return the next reply, with the types of {@link SimulatedRedis#call}. An error is
	 * returned as an {@link ErrorReplyException}.
	 */
	@Nullable Object reply() throws IOException {
		this.output.flush();
		String head = line();
		String rest = head.substring(1);
		return switch (head.charAt(0)) {
			case '+' -> rest;
			case '-' -> new ErrorReplyException(rest);
			case ':' -> Long.valueOf(rest);
			case '$' -> bulk(Integer.parseInt(rest));
			case '*' -> list(Integer.parseInt(rest));
			default -> throw new IOException("Not a reply: " + head);
		};
	}

	@Nullable Object ask(String... words) throws IOException {
		send(Arrays.stream(words).map((word) -> word.getBytes(StandardCharsets.UTF_8)).toList());
		Object reply = reply();
		if (reply instanceof ErrorReplyException error) {
			throw error;
		}
		return reply;
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

	private byte @Nullable [] bulk(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] content = this.input.readNBytes(length);
		line();
		return content;
	}

	private @Nullable List<?> list(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		List<@Nullable Object> items = new ArrayList<>();
		for (int left = length; left > 0; left--) {
			items.add(reply());
		}
		return items;
	}

	private void line(String text) throws IOException {
		this.output.write((text + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
	}

	private String line() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int next = this.input.read(); next != '\n'; next = this.input.read()) {
			if (next < 0) {
				throw new EOFException("The server closed the connection");
			}
			if (next != '\r') {
				line.write(next);
			}
		}
		return line.toString(StandardCharsets.ISO_8859_1);
	}

}
