package io.github.redislock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A self-signed certificate that the {@code keytool} of this JVM has created.
 */
public final class TestCertificate {

	private static final String ALIAS = "test";

	private static final String PASSWORD = "secret";

	private final KeyStore keyStore;

	private final Path certificate;

	private final Path key;

	private TestCertificate(KeyStore keyStore, Path certificate, Path key) {
		this.keyStore = keyStore;
		this.certificate = certificate;
		this.key = key;
	}

	/**
	 * Create a certificate and write it, with its key, into an existing directory.
	 * @param host the only name that it is valid for
	 */
	public static TestCertificate create(Path directory, String host) {
		Path store = directory.resolve(host + ".p12");
		Path certificate = directory.resolve(host + ".crt");
		Path key = directory.resolve(host + ".key");
		try {
			Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
					"-genkeypair", "-alias", ALIAS, "-keyalg", "EC", "-dname", "CN=" + host, "-ext", "san=dns:" + host,
					"-ext", "bc=ca:true", "-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD)
				.redirectErrorStream(true)
				.start();
			String output = keytool.inputReader().lines().collect(Collectors.joining("\n"));
			if (Signals.awaitEnd(keytool) != 0) {
				throw new IllegalStateException("keytool failed: " + output);
			}
			KeyStore keyStore = KeyStore.getInstance("PKCS12");
			try (InputStream input = Files.newInputStream(store)) {
				keyStore.load(input, PASSWORD.toCharArray());
			}
			Files.write(certificate, pem("CERTIFICATE", keyStore.getCertificate(ALIAS).getEncoded()));
			Files.write(key, pem("PRIVATE KEY", keyStore.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
			return new TestCertificate(keyStore, certificate, key);
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return the file with the certificate, in PEM format.
	 */
	public Path certificate() {
		return this.certificate;
	}

	/**
	 * Return the file with the private key, in PEM format.
	 */
	public Path key() {
		return this.key;
	}

	/**
	 * Return the lines of {@code redis.conf} with which a server uses this certificate
	 * and requires it from its clients.
	 */
	public String[] redisOptions(int tlsPort) {
		return new String[] { "tls-port " + tlsPort, "tls-cert-file " + this.certificate, "tls-key-file " + this.key,
				"tls-ca-cert-file " + this.certificate };
	}

	/**
	 * Return key managers that present this certificate.
	 */
	public KeyManagerFactory keyManagers() {
		try {
			KeyManagerFactory keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
			keyManagers.init(this.keyStore, PASSWORD.toCharArray());
			return keyManagers;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return trust managers that trust only this certificate.
	 */
	public TrustManagerFactory trustManagers() {
		try {
			KeyStore trusted = KeyStore.getInstance("PKCS12");
			trusted.load(null, null);
			trusted.setCertificateEntry(ALIAS, this.keyStore.getCertificate(ALIAS));
			TrustManagerFactory trustManagers = TrustManagerFactory
				.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			trustManagers.init(trusted);
			return trustManagers;
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return a context that presents this certificate and trusts only this one.
	 */
	public SSLContext sslContext() {
		try {
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(keyManagers().getKeyManagers(), trustManagers().getTrustManagers(), null);
			return context;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<String> pem(String what, byte[] content) {
		return List.of("-----BEGIN " + what + "-----", Base64.getMimeEncoder().encodeToString(content),
				"-----END " + what + "-----");
	}

}
