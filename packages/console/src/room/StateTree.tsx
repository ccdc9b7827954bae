import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"

import { More } from "../parts/More.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { countText } from "../text/Numbers.ts"
import type { StateNode } from "./StateNode.ts"

interface Props {
  readonly nodes: ReadonlyArray<StateNode>
  /** Names of the first level that no client is told of; absent = nobody knows them. */
  readonly hidden?: ReadonlySet<string>
}

/** The state of a room as a tree. What changes lights up. */
export const StateTree = ({ nodes, hidden }: Props) => (
  <ul class="tree">
    {nodes.map((node) => (
      <Node key={node.name} node={node} opened isHidden={hidden?.has(node.name) === true} />
    ))}
  </ul>
)

interface NodeProps {
  readonly node: StateNode
  /** It is open at first. */
  readonly opened?: boolean
  readonly isHidden?: boolean
}

const Node = ({ node, opened = false, isHidden = false }: NodeProps) => (
  <li>
    {node._tag === "Branch" ? (
      <Branch node={node} opened={opened} isHidden={isHidden} />
    ) : (
      <span class="leaf">
        <Name text={node.name} isHidden={isHidden} />
        <Changing text={node.text} max={400} />
      </span>
    )}
  </li>
)

interface NameProps {
  readonly text: string
  readonly isHidden: boolean
  readonly inControl?: boolean
}

const Name = ({ text, isHidden, inControl = false }: NameProps) => (
  <>
    <span class="name">
      <Tenant text={text} max={80} inControl={inControl} />
    </span>
    {isHidden && (
      <span class="chip" title="No client is told of it">
        hidden
      </span>
    )}
  </>
)

/** Parts of a branch that are drawn at first, and at each click. */
const step = 100

interface BranchProps {
  readonly node: Extract<StateNode, { readonly _tag: "Branch" }>
  readonly opened: boolean
  readonly isHidden: boolean
}

const Branch = ({ node, opened, isHidden }: BranchProps) => {
  const open = useSignal(opened)
  const max = useSignal(step)
  return (
    <>
      <span class="leaf">
        <button
          type="button"
          class="twist"
          aria-expanded={open.value}
          onClick={() => (open.value = !open.value)}
        >
          <Name text={node.name} isHidden={isHidden} inControl />
        </button>
        <span class="faint">({countText(node.count)})</span>
        {!open.value && <Changing text={node.preview} max={200} />}
      </span>
      {open.value && (
        <ul>
          {node.children(max.value).map((child) => (
            <Node key={child.name} node={child} />
          ))}
          {node.count > max.value && (
            <li>
              <More left={node.count - max.value} onClick={() => (max.value += step)} />
            </li>
          )}
        </ul>
      )}
    </>
  )
}

const litMs = 1700

/** A value that lights up for a moment when it has changed. */
const Changing = ({ text, max }: { text: string; max: number }) => {
  const before = useRef(text)
  const turn = useSignal(0)
  const isLit = useSignal(false)
  useEffect(() => {
    if (before.current === text) return
    before.current = text
    turn.value++
    isLit.value = true
    const timer = setTimeout(() => (isLit.value = false), litMs)
    return () => clearTimeout(timer)
  }, [text])
  // Another key starts the light anew.
  return (
    <span key={turn.value} class={isLit.value ? "value changed" : "value"}>
      <Tenant text={text} max={max} />
    </span>
  )
}
