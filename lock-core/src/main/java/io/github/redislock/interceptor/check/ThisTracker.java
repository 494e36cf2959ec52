package io.github.redislock.interceptor.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.ConstantDynamic;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Reads one method and finds the calls on the bean that the method itself belongs to.
 * <p>
 * Follows where that reference is on the operand stack and in local variables; every
 * other value, such as a field of the same type, is {@link Value#OTHER}.
 */
final class ThisTracker extends MethodVisitor {

	private final List<Value> stack = new ArrayList<>();

	private final Map<Integer, Value> locals = new HashMap<>();

	/** The content of the stack at the target of a jump. */
	private final Map<Label, List<Value>> arrivals = new HashMap<>();

	private final Set<String> beanTypes;

	private final Listener listener;

	private boolean reachable = true;

	private int line;

	/**
	 * Create a tracker for a method.
	 * @param locals what is known of its parameters, by slot
	 * @param beanTypes internal names of the classes that the bean consists of
	 * @param listener gets the calls
	 */
	ThisTracker(Map<Integer, Value> locals, Set<String> beanTypes, Listener listener) {
		super(SpringAsmInfo.ASM_VERSION);
		this.locals.putAll(locals);
		this.beanTypes = beanTypes;
		this.listener = listener;
	}

	@Override
	public void visitLineNumber(int line, Label start) {
		this.line = line;
	}

	@Override
	public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
		this.arrivals.put(handler, List.of(Value.OTHER));
	}

	@Override
	public void visitLabel(Label label) {
		if (!this.reachable) {
			this.stack.clear();
			this.stack.addAll(this.arrivals.getOrDefault(label, List.of()));
			this.reachable = true;
		}
	}

	@Override
	public void visitInsn(int opcode) {
		switch (opcode) {
			case Opcodes.DUP -> insert(1, 1);
			case Opcodes.DUP_X1 -> insert(1, 2);
			case Opcodes.DUP_X2 -> insert(1, 3);
			case Opcodes.DUP2 -> insert(2, 2);
			case Opcodes.DUP2_X1 -> insert(2, 3);
			case Opcodes.DUP2_X2 -> insert(2, 4);
			case Opcodes.SWAP -> this.stack.add(this.stack.size() - 1, pop());
			case Opcodes.IRETURN, Opcodes.LRETURN, Opcodes.FRETURN, Opcodes.DRETURN, Opcodes.ARETURN, Opcodes.RETURN,
					Opcodes.ATHROW ->
				this.reachable = false;
			default -> change(growth(opcode));
		}
	}

	@Override
	public void visitIntInsn(int opcode, int operand) {
		change((opcode != Opcodes.NEWARRAY) ? 1 : 0);
	}

	@Override
	public void visitVarInsn(int opcode, int slot) {
		switch (opcode) {
			case Opcodes.ILOAD, Opcodes.FLOAD -> change(1);
			case Opcodes.LLOAD, Opcodes.DLOAD -> change(2);
			case Opcodes.ALOAD -> this.stack.add(this.locals.getOrDefault(slot, Value.OTHER));
			case Opcodes.LSTORE, Opcodes.DSTORE -> change(-2);
			default -> this.locals.put(slot, pop());
		}
	}

	@Override
	public void visitTypeInsn(int opcode, String type) {
		if (opcode == Opcodes.NEW) {
			change(1);
		}
		else if (opcode != Opcodes.CHECKCAST) {
			pop();
			change(1);
		}
	}

	@Override
	public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
		int size = Type.getType(descriptor).getSize();
		switch (opcode) {
			case Opcodes.GETSTATIC -> change(size);
			case Opcodes.PUTSTATIC -> change(-size);
			case Opcodes.PUTFIELD -> change(-1 - size);
			default -> {
				boolean outer = pop() == Value.INNER && name.startsWith("this$");
				change(size);
				if (outer) {
					pop();
					boolean bean = this.beanTypes.contains(Type.getType(descriptor).getInternalName());
					this.stack.add(bean ? Value.BEAN : Value.INNER);
				}
			}
		}
	}

	@Override
	public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
		int sizes = Type.getArgumentsAndReturnSizes(descriptor);
		int taken = (opcode != Opcodes.INVOKESTATIC) ? sizes >> 2 : (sizes >> 2) - 1;
		if (opcode != Opcodes.INVOKESTATIC && below(taken) == Value.BEAN) {
			this.listener.called(owner, name + descriptor, opcode == Opcodes.INVOKESPECIAL, this.line);
		}
		change(-taken);
		change(sizes & 3);
	}

	@Override
	public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
		int sizes = Type.getArgumentsAndReturnSizes(descriptor);
		int taken = (sizes >> 2) - 1;
		List<Value> captured = this.stack.subList(this.stack.size() - taken, this.stack.size());
		if (captured.contains(Value.BEAN)) {
			for (Object argument : arguments) {
				if (argument instanceof Handle handle) {
					captured(handle, captured);
				}
			}
		}
		change(-taken);
		change(sizes & 3);
	}

	private void captured(Handle handle, List<Value> captured) {
		String signature = handle.getName() + handle.getDesc();
		if (handle.getTag() == Opcodes.H_INVOKESTATIC) {
			// A lambda in Kotlin: it has the object as a parameter.
			Map<Integer, Value> parameters = new HashMap<>();
			for (int slot = 0; slot < captured.size(); slot++) {
				parameters.put(slot, captured.get(slot));
			}
			this.listener.passed(handle.getOwner(), signature, parameters);
		}
		else if (captured.get(0) == Value.BEAN) {
			this.listener.called(handle.getOwner(), signature, handle.getTag() == Opcodes.H_INVOKESPECIAL, this.line);
		}
	}

	@Override
	public void visitJumpInsn(int opcode, Label label) {
		boolean one = opcode <= Opcodes.IFLE || opcode >= Opcodes.IFNULL;
		if (opcode != Opcodes.GOTO) {
			change(one ? -1 : -2);
		}
		arriveAt(label);
		this.reachable = opcode != Opcodes.GOTO;
	}

	@Override
	public void visitTableSwitchInsn(int min, int max, Label other, Label... labels) {
		visitLookupSwitchInsn(other, new int[0], labels);
	}

	@Override
	public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
		pop();
		arriveAt(other);
		for (Label label : labels) {
			arriveAt(label);
		}
		this.reachable = false;
	}

	@Override
	public void visitLdcInsn(Object value) {
		boolean wide = value instanceof Long || value instanceof Double
				|| (value instanceof ConstantDynamic constant && constant.getSize() == 2);
		change(wide ? 2 : 1);
	}

	@Override
	public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
		change(1 - dimensions);
	}

	private void arriveAt(Label label) {
		this.arrivals.putIfAbsent(label, List.copyOf(this.stack));
	}

	private Value below(int slots) {
		return this.stack.get(this.stack.size() - slots);
	}

	private Value pop() {
		return this.stack.remove(this.stack.size() - 1);
	}

	/**
	 * Insert a copy of the top of the stack.
	 */
	private void insert(int slots, int depth) {
		List<Value> copy = List.copyOf(this.stack.subList(this.stack.size() - slots, this.stack.size()));
		this.stack.addAll(this.stack.size() - depth, copy);
	}

	private void change(int slots) {
		for (int slot = 0; slot < slots; slot++) {
			this.stack.add(Value.OTHER);
		}
		for (int slot = 0; slot > slots; slot--) {
			pop();
		}
	}

	/**
	 * Return by how many slots the stack grows with an instruction that has no operand.
	 */
	private static int growth(int opcode) {
		return switch (opcode) {
			case Opcodes.LCONST_0, Opcodes.LCONST_1, Opcodes.DCONST_0, Opcodes.DCONST_1 -> 2;
			case Opcodes.ACONST_NULL, Opcodes.ICONST_M1, Opcodes.ICONST_0, Opcodes.ICONST_1, Opcodes.ICONST_2,
					Opcodes.ICONST_3, Opcodes.ICONST_4, Opcodes.ICONST_5, Opcodes.FCONST_0, Opcodes.FCONST_1,
					Opcodes.FCONST_2, Opcodes.I2L, Opcodes.I2D, Opcodes.F2L, Opcodes.F2D ->
				1;
			case Opcodes.IALOAD, Opcodes.FALOAD, Opcodes.AALOAD, Opcodes.BALOAD, Opcodes.CALOAD, Opcodes.SALOAD,
					Opcodes.POP, Opcodes.IADD, Opcodes.ISUB, Opcodes.IMUL, Opcodes.IDIV, Opcodes.IREM, Opcodes.FADD,
					Opcodes.FSUB, Opcodes.FMUL, Opcodes.FDIV, Opcodes.FREM, Opcodes.ISHL, Opcodes.LSHL, Opcodes.ISHR,
					Opcodes.LSHR, Opcodes.IUSHR, Opcodes.LUSHR, Opcodes.IAND, Opcodes.IOR, Opcodes.IXOR, Opcodes.L2I,
					Opcodes.L2F, Opcodes.D2I, Opcodes.D2F, Opcodes.FCMPL, Opcodes.FCMPG, Opcodes.MONITORENTER,
					Opcodes.MONITOREXIT ->
				-1;
			case Opcodes.POP2, Opcodes.LADD, Opcodes.LSUB, Opcodes.LMUL, Opcodes.LDIV, Opcodes.LREM, Opcodes.DADD,
					Opcodes.DSUB, Opcodes.DMUL, Opcodes.DDIV, Opcodes.DREM, Opcodes.LAND, Opcodes.LOR, Opcodes.LXOR ->
				-2;
			case Opcodes.IASTORE, Opcodes.FASTORE, Opcodes.AASTORE, Opcodes.BASTORE, Opcodes.CASTORE, Opcodes.SASTORE,
					Opcodes.LCMP, Opcodes.DCMPL, Opcodes.DCMPG ->
				-3;
			case Opcodes.LASTORE, Opcodes.DASTORE -> -4;
			default -> 0;
		};
	}

	/**
	 * The value of a slot.
	 */
	enum Value {

		/** The bean whose method is read. */
		BEAN,

		/** An object of an inner class, which knows the bean. */
		INNER,

		/** Anything else. */
		OTHER

	}

	/**
	 * Gets the calls on the bean.
	 */
	interface Listener {

		/**
		 * A method of the bean is called, or referred to.
		 * @param owner internal name of the class that is named in the call
		 * @param signature name and descriptor
		 * @param special whether the method of that very class is meant, as with
		 * {@code super}
		 */
		void called(String owner, String signature, boolean special, int line);

		/**
		 * The bean is passed to a static method that is the body of a lambda.
		 */
		void passed(String owner, String signature, Map<Integer, Value> parameters);

	}

}
