package io.github.redislock.interceptor.check;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.interceptor.LockedMethods;
import io.github.redislock.interceptor.declaration.ClassKinds;
import io.github.redislock.interceptor.declaration.LockDefinition;
import io.github.redislock.interceptor.declaration.MethodNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.aot.AotDetector;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Warns of locked methods that their own object calls through {@code this}, bypassing the
 * proxy that locks. Reads the byte code of classes with locked methods only, once each,
 * with their superclasses, interfaces and inner classes.
 * <p>
 * Not done with ahead-of-time processing: a native image has no byte code.
 */
final class SelfCalls {

	private static final Log logger = LogFactory.getLog(SelfCalls.class);

	private final LockedMethods methods;

	private final Set<Class<?>> read = ConcurrentHashMap.newKeySet();

	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	SelfCalls(LockedMethods methods) {
		this.methods = methods;
	}

	/**
	 * Read a class with locked methods, and warn of what is found.
	 */
	void report(Class<?> targetClass) {
		Class<?> type = ClassUtils.getUserClass(targetClass);
		boolean readable = !ClassKinds.isGenerated(type) && !AotDetector.useGeneratedArtifacts();
		if (!readable || !logger.isWarnEnabled() || !this.read.add(type)) {
			return;
		}
		try {
			new BeanClass(type).read();
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("Byte code of '%s' could not be read".formatted(type.getName()), ex);
		}
	}

	/**
	 * Return the locked methods of a class by each of their signatures, including
	 * bridges.
	 */
	private Map<String, Method> locked(Class<?> type) {
		Set<Method> locked = this.methods.definitions(type).keySet();
		Map<String, Method> bySignature = new HashMap<>();
		Stream.concat(Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type)),
				ClassUtils.getAllInterfacesForClassAsSet(type)
					.stream()
					.flatMap((face) -> Arrays.stream(face.getMethods())))
			.forEach((method) -> {
				Method specific = AopUtils.getMostSpecificMethod(method, type);
				if (locked.contains(specific)) {
					bySignature.put(method.getName() + Type.getMethodDescriptor(method), specific);
				}
			});
		return bySignature;
	}

	/**
	 * Return whether the holder of one lock also holds another one, as far as the
	 * declarations show.
	 */
	private static boolean covers(Method holder, LockDefinition held, Method method, LockDefinition wanted) {
		boolean sameName = held.name().equals(wanted.name())
				&& (!held.name().isEmpty() || holder.getName().equals(method.getName()));
		boolean alone = !held.isReading() && !held.isCounted();
		boolean sameWay = held.isReading() == wanted.isReading() && held.isCounted() == wanted.isCounted();
		return sameName && held.key().equals(wanted.key()) && (alone || sameWay);
	}

	/**
	 * All code of a bean's class.
	 */
	private final class BeanClass {

		private final Class<?> type;

		private final Map<String, Class<?>> types = new LinkedHashMap<>();

		private final Map<String, Method> locked;

		private final Deque<String> inner = new ArrayDeque<>();

		BeanClass(Class<?> type) {
			this.type = type;
			this.locked = locked(type);
			for (Class<?> each = type; each != null; each = each.getSuperclass()) {
				this.types.put(Type.getInternalName(each), each);
			}
			ClassUtils.getAllInterfacesForClassAsSet(type)
				.forEach((face) -> this.types.put(Type.getInternalName(face), face));
		}

		void read() throws IOException {
			for (Map.Entry<String, Class<?>> each : this.types.entrySet()) {
				if (!each.getKey().startsWith("java/")) {
					read(each.getKey(), ThisTracker.Value.BEAN);
				}
			}
			while (!this.inner.isEmpty()) {
				String name = this.inner.pop();
				if (!this.types.containsKey(name)) {
					read(name, ThisTracker.Value.INNER);
				}
			}
		}

		private void read(String internalName, ThisTracker.Value self) throws IOException {
			ClassLoader loader = this.type.getClassLoader();
			try (InputStream code = (loader != null) ? loader.getResourceAsStream(internalName + ".class") : null) {
				if (code != null) {
					new ClassReader(code).accept(new Code(this, internalName, self), ClassReader.SKIP_FRAMES);
				}
			}
		}

		/**
		 * Warn of a call if it runs a locked method without its lock.
		 */
		void called(String owner, String signature, boolean special, String caller, String callerSignature,
				String place) {
			Class<?> ownerType = this.types.get(owner);
			if (ownerType == null || (special && callerSignature.equals(signature))) {
				return;
			}
			Class<?> actual = special ? ownerType : this.type;
			Method method = (special ? locked(actual) : this.locked).get(signature);
			if (method != null && !isHeld(caller, callerSignature, method, actual)) {
				report(("Method '%s' runs without its lock where it is called at %s: a call through 'this' bypasses "
						+ "the proxy. Call it on an injected reference to the bean, or move it to another bean")
					.formatted(MethodNames.describe(method, actual), place));
			}
		}

		private void report(String warning) {
			if (SelfCalls.this.reported.add(warning)) {
				logger.warn(warning);
			}
		}

		private boolean isHeld(String caller, String callerSignature, Method method, Class<?> actual) {
			LockDefinition wanted = SelfCalls.this.methods.definitions(actual).get(method);
			Map<Method, LockDefinition> definitions = SelfCalls.this.methods.definitions(this.type);
			Method exact = this.locked.get(callerSignature);
			Set<Method> holders = (exact != null) ? Set.of(exact)
					: this.locked.values()
						.stream()
						.filter((each) -> callerSignature.contains("lambda$") && each.getName().equals(caller))
						.collect(Collectors.toSet());
			return wanted != null && holders.stream().anyMatch((holder) -> {
				LockDefinition held = definitions.get(holder);
				return held != null && covers(holder, held, method, wanted);
			});
		}

	}

	/**
	 * Reads one class file.
	 */
	private static final class Code extends ClassVisitor {

		private final BeanClass bean;

		private final String internalName;

		private final ThisTracker.Value self;

		private final Map<String, Map<Integer, ThisTracker.Value>> parameters = new HashMap<>();

		private @Nullable String source;

		private Code(BeanClass bean, String internalName, ThisTracker.Value self) {
			super(SpringAsmInfo.ASM_VERSION);
			this.bean = bean;
			this.internalName = internalName;
			this.self = self;
		}

		@Override
		public void visitSource(@Nullable String source, @Nullable String debug) {
			this.source = source;
		}

		@Override
		public void visitInnerClass(String name, @Nullable String outerName, @Nullable String innerName, int access) {
			boolean within = name.startsWith(this.internalName + '$');
			if (within && (access & Opcodes.ACC_STATIC) == 0) {
				this.bean.inner.add(name);
			}
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			if ((access & Opcodes.ACC_BRIDGE) != 0) {
				return null;
			}
			boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
			Map<Integer, ThisTracker.Value> known = isStatic ? this.parameters.getOrDefault(name + descriptor, Map.of())
					: Map.of(0, this.self);
			return known.isEmpty() ? null : new ThisTracker(known, this.bean.types.keySet(), calls(name, descriptor));
		}

		private ThisTracker.Listener calls(String name, String descriptor) {
			String caller = declared(name);
			return new ThisTracker.Listener() {

				@Override
				public void called(String owner, String signature, boolean special, int line) {
					StackTraceElement place = new StackTraceElement(Code.this.internalName.replace('/', '.'), caller,
							Code.this.source, (line > 0) ? line : -1);
					boolean ofBean = Code.this.self == ThisTracker.Value.BEAN;
					Code.this.bean.called(owner, signature, special, caller, ofBean ? name + descriptor : "",
							place.toString());
				}

				@Override
				public void passed(String owner, String signature, Map<Integer, ThisTracker.Value> parameters) {
					if (owner.equals(Code.this.internalName)) {
						Code.this.parameters.put(signature, parameters);
					}
				}

			};
		}

		/**
		 * Return the name of the method in whose source a lambda is.
		 */
		private static String declared(String name) {
			if (name.startsWith("lambda$")) {
				return name.substring("lambda$".length(), Math.max(name.lastIndexOf('$'), "lambda$".length()));
			}
			int lambda = name.indexOf("$lambda$");
			return (lambda > 0) ? name.substring(0, lambda) : name;
		}

	}

}
