import type { Save } from "@atrium/domain/rooms/RoomsApi"
import { readSave } from "@atrium/sdk/saves"
import { fromDescriptor } from "@atrium/sdk/schema"
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"

import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Panel } from "../parts/Panel.tsx"
import { nodesOf, type StateNode } from "../room/StateNode.ts"
import { StateTree } from "../room/StateTree.tsx"
import type { Refusal } from "../service/Service.ts"
import { errorText } from "../text/ErrorText.ts"
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
          <StateTree nodes={content.nodes} />
        </>
      )
  }
}

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
    return { _tag: "Tree", nodes: nodesOf(state), tick }
  } catch (error) {
    return { _tag: "Unread", why: `This page cannot read it: ${errorText(error)}` }
  }
}
