import type { ComponentChildren } from "preact"

import type { Read } from "../service/Reads.ts"
import type { Asked, Command } from "../shell/Equivalents.ts"
import { Waiting } from "./Empty.tsx"
import { Fault } from "./Fault.tsx"
import { Panel } from "./Panel.tsx"

interface Props<A> {
  readonly title: string
  readonly read: Read<A>
  readonly asked: Asked
  readonly command?: Command
  readonly tools?: ComponentChildren
  /** What stands above the answer, also while there is none. */
  readonly above?: ComponentChildren
  readonly children: (value: A, atMs: number) => ComponentChildren
}

/** A panel of one question that is asked again and again: its answer, its refusal, or that it is on its way. */
export const ReadPanel = <A,>({ read, above, children, ...panel }: Props<A>) => {
  const { last, refused } = read.state.value
  return (
    <Panel {...panel} asOf={last?.atMs ?? null}>
      {above}
      {refused !== null && <Fault refusal={refused} again={read.again} />}
      {last === null ? refused === null && <Waiting /> : children(last.value, last.atMs)}
    </Panel>
  )
}
