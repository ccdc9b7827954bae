/** The outcome of a deed, in words that can be compared; `indefinite` = the deed may have been done or not. */
export type Answer = string | typeof indefinite

/** A timeout, or an answer that leaves open whether the deed was done. */
export const indefinite = Symbol("indefinite")

export interface Outcome<State> {
  readonly answer: string
  readonly state: State
}

/**
 * How a thing changes, as the specification has it: a reducer that knows no implementation. A move
 * that the specification does not show is an outcome with an error and the same state.
 */
export interface Machine<State, Deed, View> {
  readonly initial: State
  /** All that may come of a deed; more than one where the specification leaves it open. */
  readonly step: (state: State, deed: Deed) => ReadonlyArray<Outcome<State>>
  /** What a full read-back shows, as JSON. */
  readonly view: (state: State) => View
}

/** The thing itself, of an implementation. */
export interface Subject<Deed, View> {
  readonly perform: (deed: Deed) => Promise<Answer>
  /** Reads everything back. It never changes anything. */
  readonly view: () => Promise<View>
  /** Whether the check has disturbed the service on purpose, so that an answer may be missing. */
  readonly disturbed?: () => boolean
}

/** A machine, and how to try it. */
export interface Model<State, Command, Deed, View> {
  readonly machine: Machine<State, Deed, View>
  /**
   * A command names things by ordinal, so that it keeps its meaning while others are taken out.
   * Null = there is nothing that it could be done to.
   */
  readonly bind: (command: Command, so: SoFar<State, Deed>) => Deed | null
  /** A deed in a few words. */
  readonly tell: (deed: Deed) => string
}

/** The point that a sequence has come to. */
export interface SoFar<State, Deed> {
  readonly before: ReadonlyArray<Deed>
  /** In which the thing may be. Never empty. */
  readonly states: ReadonlyArray<State>
}

/** Ends a sequence without a verdict: the implementation chose otherwise where it may. */
export class Abandoned extends Error {}
