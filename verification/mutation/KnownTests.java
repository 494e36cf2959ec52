import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.launcher.TestIdentifier;
import org.pitest.classinfo.ClassByteArraySource;
import org.pitest.help.PitHelpError;
import org.pitest.junit5.JUnit5TestPluginFactory;
import org.pitest.junit5.JUnit5TestUnit;
import org.pitest.testapi.Configuration;
import org.pitest.testapi.TestGroupConfig;
import org.pitest.testapi.TestPluginFactory;
import org.pitest.testapi.TestSuiteFinder;
import org.pitest.testapi.TestUnit;
import org.pitest.testapi.TestUnitExecutionListener;
import org.pitest.testapi.TestUnitFinder;

/**
 * Tells each process of PIT which tests a class has, from a file that the first process
 * wrote. PIT's own plugin runs all tests of all classes to find that out, in every
 * process, which takes most of the time. The system property {@code tests.known} names
 * the folder.
 */
public final class KnownTests implements TestPluginFactory {

	@Override
	public String name() {
		return "known";
	}

	@Override
	public String description() {
		return "Tests that an earlier process found";
	}

	@Override
	public Configuration createTestFrameworkConfiguration(TestGroupConfig groups, ClassByteArraySource source,
			Collection<String> runners, Collection<String> methods) {
		return new Known(
				new JUnit5TestPluginFactory().createTestFrameworkConfiguration(groups, source, runners, methods));
	}

	private record Known(Configuration junit) implements Configuration {

		@Override
		public int priority() {
			return this.junit.priority() - 1;
		}

		@Override
		public TestUnitFinder testUnitFinder() {
			return new Finder(this.junit.testUnitFinder(), Path.of(System.getProperty("tests.known")));
		}

		@Override
		public TestSuiteFinder testSuiteFinder() {
			return this.junit.testSuiteFinder();
		}

		@Override
		public Optional<PitHelpError> verifyEnvironment() {
			return this.junit.verifyEnvironment();
		}

	}

	private record Finder(TestUnitFinder junit, Path folder) implements TestUnitFinder {

		@Override
		public List<TestUnit> findTestUnits(Class<?> type, TestUnitExecutionListener listener) {
			Path file = this.folder.resolve(type.getName());
			try {
				if (Files.exists(file)) {
					return Files.readAllLines(file).stream().map((id) -> test(type, id)).toList();
				}
				List<TestUnit> found = this.junit.findTestUnits(type, listener);
				Files.createDirectories(this.folder);
				Files.write(file, found.stream().map((test) -> test.getDescription().getName()).toList());
				return found;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		private static TestUnit test(Class<?> type, String id) {
			return new JUnit5TestUnit(type, TestIdentifier.from(new AbstractTestDescriptor(UniqueId.parse(id), id) {

				@Override
				public Type getType() {
					return TestDescriptor.Type.TEST;
				}

			}));
		}

	}

}
