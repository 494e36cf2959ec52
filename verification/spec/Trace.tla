-------------------------------- MODULE Trace --------------------------------
\* Holds one run of the code against the model. Observed (written by the simulation) tells
\* each script that a simulated Redis ran and what could be seen after it; the steps of
\* HandOver that fit are tried. If none leads to the end, model and code differ.
\*
\* Time is left free: what ends by itself (lock, queue, tombstone, a silent waiter) may end
\* whenever it was seen to. That it did not end too early is what "inside" is compared with.
EXTENDS HandOver, Observed

VARIABLE at  \* the step that comes next

seen == <<at, vars>>
Step == Observed[at]

\* Nobody hears answers here: each question is one whose sender waits no longer.
Begun ==
  /\ Init
  /\ at = 1
  /\ TLCSet(1, 0)

\* One that does not wait leaves the queue at once; for the model, a moment later.
Order(kind, r, Q) ==
  LET others == IF kind = "try" THEN Leaves(Q, r) ELSE Q
  IN  [k \in 1..Len(others) |-> others[k].req]

Fits ==
  /\ lock'.owner = Step.owner /\ lock'.bare = Step.bare
  /\ Order(Step.kind, Step.req, queue') = Step.queue
  /\ Step.tombs \subseteq tombs'
  \* Whoever believes to hold the lock holds it in Redis, and alone.
  /\ \A r \in Step.inside : lock'.owner = r /\ r \notin closed'

\* A live waiter that hears messages is not passed over.
Fair == Step.deaf \/ faults' = faults

\* The code may grant the lock full although nobody waits.
EitherForm(others) == {FALSE, others = <<>>}

\* Who does not wait does not join, and leaves a lock as it is that is another's.
Refused(p) == Step.kind = "try" /\ lock.owner \notin {Nobody, Owner(p.req)}

\* The fence may still know that the request has released the lock.
Copied(p) == Step.kind \in {"acquire", "try"} /\ p.req \in closed /\ lock.owner = Nobody

Script ==
  LET p == Late(Question(Step.kind, Step.req))
  IN  \/ (Refused(p) \/ Copied(p)) /\ UNCHANGED vars
      \/ Step.kind \in {"acquire", "try"} /\ ~Refused(p) /\ Acquire(p, {}, 0) /\ UNCHANGED <<tombs, closed>>
      \/ Step.kind = "take" /\ Take(p, {}, 0) /\ UNCHANGED <<tombs, closed>>
      \/ Step.kind = "drop" /\ Drop(p, {}, 0)
      \/ Step.kind = "release" /\ Release(p, {}, 0)
      \/ Step.kind = "yield" /\ Yield(p, {}, 0)
      \/ Step.kind = "withdraw" /\ Withdraw(p, {}, 0)
      \/ Step.kind = "renew" /\ Renew(p, {}, 0)

\* Something has expired.
Passes ==
  /\ Step.kind = "time"
  /\ lock' \in {lock, Free}
  /\ queue' \in {queue, <<>>}
  /\ tombs' \in {tombs, Step.tombs \cap tombs}
  /\ UNCHANGED <<fence, net, inst, faults, closed>>

\* One that has been silent for too long, or never waited, is not waited for.
Silent ==
  /\ \E r \in Step.silent : Place(queue, r) # {} /\ queue' = Leaves(queue, r)
  /\ UNCHANGED <<lock, fence, tombs, net, inst, faults, closed, at>>

\* A full script may make a bare lock full although nobody joins.
MadeFull ==
  /\ lock.bare /\ lock' = [lock EXCEPT !.bare = FALSE]
  /\ UNCHANGED <<fence, queue, tombs, net, inst, faults, closed, at>>

Follow ==
  /\ at <= Len(Observed)
  /\ \/ ((Script /\ Fair) \/ Passes) /\ Fits /\ at' = at + 1
     \/ Silent \/ MadeFull

TraceSpec == Begun /\ [][Follow]_seen

\* "Violated" as soon as the model has followed to the end.
NotFollowed == at <= Len(Observed)

\* For people: how far it came.
Progress == IF at > TLCGet(1) THEN TLCSet(1, at) /\ PrintT(<<"step", at>>) ELSE TRUE
===============================================================================
