import type { Save } from "@atrium/domain/rooms/RoomsApi"
import { readSave } from "@atrium/sdk/saves"
import { fromDescriptor } from "@atrium/sdk/schema"
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"

import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Panel } from "../parts/Panel.tsx"
import { nodeOf, type StateNode } from "../room/StateNode.ts"
import { StateTree } from "../room/StateTree.tsx"
import type { Refusal } from "../service/Service.ts"
import { bytesText, countText } from "../text/Numbers.ts"
import type { SaveSide } from "./CompareSaves.ts"
import { readSide, type SavedRoom, savePath } from "./SaveFiles.ts"
import { isOpened } from "./SaveText.ts"

/** A save that the page has read. */
type Content =
  | { readonly _tag: "Reading" }
  | { readonly _tag: "Tree"; readonly nodes: ReadonlyArray<StateNode>; readonly tick: number }
  | { readonly _tag: "Unread"; readonly why: string }
  | Refusal

/** What is in a save, as a tree. */
export const ContentPanel = ({ room, save }: { room: SavedRoom; save: Save }) => {
  const content = useSignal<Content>({ _tag: "Reading" })
  const { saveId } = save
  useEffect(() => {
    const abort = new AbortController()
    void contentOf(room, save, abort.signal).then((next) => {
      if (!abort.signal.aborted) content.value = next
    })
    return () => abort.abort()
  }, [saveId])
  return (
    <Panel
      title="State in the save"
      asOf={Date.parse(save.createdAt)}
      asked={{ method: "GET", path: `${savePath(room, saveId)}/bytes`, credential: "key" }}
      command={{
        words: ["rooms", "saves", "get"],
        flags: { output: `${saveId}.save`, project: room.project },
        values: [room.room, saveId]
      }}
    >
      <Shown content={content.value} save={save} />
    </Panel>
  )
}

const Shown = ({ content, save }: { content: Content; save: Save }) => {
  switch (content._tag) {
    case "Reading":
      return <Waiting />
    case "Refused":
      return <Fault refusal={content} />
    case "Unread":
      return (
        <Empty title="The save is not shown.">
          <p>{content.why}</p>
        </Empty>
      )
    case "Tree":
      return (
        <>
          <p class="sub-line">
            Tick {countText(content.tick)}, version {save.version}, {bytesText(save.bytes)}.
          </p>
          <StateTree nodes={content.nodes} hidden={noneHidden} />
        </>
      )
  }
}

/** The descriptor of a version does not say which parts clients are told of. */
const noneHidden: ReadonlySet<string> = new Set()

const contentOf = async (room: SavedRoom, save: Save, signal: AbortSignal): Promise<Content> => {
  if (!isOpened(save)) {
    return { _tag: "Unread", why: `${bytesText(save.bytes)} are too many for a page: download it.` }
  }
  const side = await readSide(room, save, signal)
  return "_tag" in side ? side : treeOf(side)
}

const treeOf = ({ bytes, schema }: SaveSide): Content => {
  try {
    const { state, tick } = readSave(fromDescriptor(schema), bytes)
    return { _tag: "Tree", nodes: Object.entries(state).map((part) => nodeOf(...part)), tick }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { _tag: "Unread", why: `This page cannot read it: ${why}` }
  }
}
