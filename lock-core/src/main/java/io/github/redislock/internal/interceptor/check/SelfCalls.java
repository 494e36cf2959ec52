package io.github.redislock.internal.interceptor.check;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.github.redislock.LockMode;
import io.github.redislock.internal.interceptor.AdvisedMethods;
import io.github.redislock.internal.interceptor.LockedMethods;
import io.github.redislock.internal.interceptor.declaration.ClassKinds;
import io.github.redislock.internal.interceptor.declaration.LockDefinition;
import io.github.redislock.internal.interceptor.declaration.MethodNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Warns about methods that their own object calls, because such a call bypasses the
 * proxy. Reads the class files of a bean's class, its superclasses and interfaces, if
 * there are any: not in a native image.
 * <p>
 * A call counts as one of the same object if the calling method has had no other object
 * of these types before. So a call after one through an injected reference to the same
 * bean is not found.
 */
final class SelfCalls {

	private static final Log logger = LogFactory.getLog(SelfCalls.class);

	private final AdvisedMethods<?, ?> methods;

	private final Class<?> targetClass;

	/** The class with its superclasses and interfaces, by internal name. */
	private final Map<String, Class<?>> types = new LinkedHashMap<>();

	/** The advised methods by name and descriptor. */
	private final Map<String, Method> advised = new HashMap<>();

	private final Set<Method> warned = new HashSet<>();

	SelfCalls(AdvisedMethods<?, ?> methods, Class<?> targetClass) {
		this.methods = methods;
		this.targetClass = targetClass;
		add(targetClass);
	}

	void report() {
		this.types.values().forEach(this::read);
	}

	private void add(@Nullable Class<?> type) {
		if (type == null || type.getName().startsWith("java.")) {
			return;
		}
		this.types.put(Type.getInternalName(type), type);
		for (Method method : type.getDeclaredMethods()) {
			// Proxies are advised by the methods of their interfaces.
			Method specific = ClassKinds.isGenerated(this.targetClass) ? method
					: AopUtils.getMostSpecificMethod(method, this.targetClass);
			if (this.methods.definitions(this.targetClass).containsKey(specific)) {
				this.advised.put(method.getName() + Type.getMethodDescriptor(method), specific);
			}
		}
		add(type.getSuperclass());
		Arrays.stream(type.getInterfaces()).forEach(this::add);
	}

	private void read(Class<?> type) {
		try (InputStream code = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			new ClassReader(code).accept(new ClassVisitor(SpringAsmInfo.ASM_VERSION) {

				@Override
				public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
						@Nullable String signature, String @Nullable [] exceptions) {
					return ((access & (Opcodes.ACC_STATIC | Opcodes.ACC_BRIDGE)) == 0)
							? new Caller(type.getName(), name, descriptor) : null;
				}

			}, ClassReader.SKIP_DEBUG);
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("Could not read the class file of '%s'".formatted(type.getName()), ex);
		}
	}

	/**
	 * Return whether a method probably runs with the lock of another one, or with its
	 * role: the expressions of both have the same text.
	 */
	private boolean includes(Method own, Method other) {
		Map<Method, ?> all = this.methods.definitions(this.targetClass);
		if (all.get(own) instanceof LockDefinition held && all.get(other) instanceof LockDefinition wanted) {
			boolean sameLock = held.name().equals(wanted.name()) && held.key().equals(wanted.key())
					&& (!held.name().isEmpty() || own.getName().equals(other.getName()));
			boolean alone = held.mode() == LockMode.EXCLUSIVE && !held.isCounted();
			return sameLock && (alone || (held.mode() == wanted.mode() && held.permits().equals(wanted.permits())));
		}
		return Objects.equals(all.get(own), all.get(other));
	}

	/**
	 * Reads the code of one method.
	 */
	private final class Caller extends MethodVisitor {

		private final String className;

		private final String name;

		/** Whether the code may have got another object of the bean's types. */
		private boolean hasOther;

		private Caller(String className, String name, String descriptor) {
			super(SpringAsmInfo.ASM_VERSION);
			this.className = className;
			// The body of a lambda in 'order' has the name lambda$order$0.
			this.name = name.startsWith("lambda$") ? name.split("\\$")[1] : name;
			got(descriptor.substring(0, descriptor.indexOf(')')));
		}

		private void got(String descriptor) {
			this.hasOther |= SelfCalls.this.types.keySet()
				.stream()
				.anyMatch((type) -> descriptor.contains('L' + type + ';'));
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			got('L' + type + ';');
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
			got(descriptor);
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			called(owner, name + descriptor, opcode == Opcodes.INVOKESPECIAL);
			got(Type.getReturnType(descriptor).getDescriptor());
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			for (Object argument : arguments) {
				// A reference such as this::pay has its object as an argument.
				if (argument instanceof Handle handle && !descriptor.startsWith("()")) {
					called(handle.getOwner(), handle.getName() + handle.getDesc(), false);
				}
			}
		}

		private void called(String owner, String signature, boolean ofSuper) {
			SelfCalls self = SelfCalls.this;
			Class<?> type = self.types.get(owner);
			Method method = self.advised.get(signature);
			// A call of super.pay runs another method if 'pay' is overridden.
			if (type != null && method != null && !this.hasOther && !holds(method)
					&& (!ofSuper || method.getDeclaringClass().isAssignableFrom(type)) && self.warned.add(method)) {
				logger.warn(("Method '%s' runs %s when called by '%s.%s', because a call within the same object"
						+ " bypasses the proxy: move the method to another bean, or call it through an injected"
						+ " reference to its bean")
					.formatted(MethodNames.describe(method, self.targetClass),
							(self.methods instanceof LockedMethods) ? "without its lock" : "on every instance",
							this.className, this.name));
			}
		}

		private boolean holds(Method method) {
			return SelfCalls.this.advised.values()
				.stream()
				.anyMatch((own) -> own.getName().equals(this.name) && includes(own, method));
		}

	}

}
