// Lerim's plugin for OpenCode: written by `lerim connect opencode`; `lerim disconnect opencode` takes it out.
// It asks `lerim hook` for the brief once a session, and says when a session rests, is compacted or ends.
__HOOK__

export const Lerim = async ({ directory, client }) => {
  const briefs = new Map()
  const children = new Map()
  const started = new Set()
  const input = (session, name, more = {}) => ({ session_id: session, cwd: directory, hook_event_name: name, ...more })

  // A subagent works on what its parent knows, and has no session of its own to learn from.
  const isChild = async (session) => {
    if (!children.has(session)) {
      let parent = false
      try {
        const found = await client.session.get({ path: { id: session } })
        parent = Boolean(found?.data?.parentID)
      } catch {}
      children.set(session, parent)
    }
    return children.get(session)
  }
  const start = async (session) => {
    if (await isChild(session)) return ""
    started.add(session)
    return brief(await hook("session-start", input(session, "SessionStart", { source: "startup" })))
  }
  const end = async (session) => {
    briefs.delete(session)
    if (started.delete(session)) await hook("session-end", input(session, "SessionEnd", { reason: "other" }))
  }

  return {
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      // The title of a session is made by a request of its own, which needs no memory.
      if (!sessionID || output.system.some((text) => /title generator/i.test(text))) return
      if (!briefs.has(sessionID)) briefs.set(sessionID, start(sessionID))
      const text = await briefs.get(sessionID)
      if (text) output.system.push(text)
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      if (started.has(sessionID)) await hook("pre-compact", input(sessionID, "PreCompact"))
    },
    event: async ({ event }) => {
      const session = event?.properties?.sessionID ?? event?.properties?.info?.id
      if (!started.has(session)) return
      if (event.type === "session.idle") await hook("turn-end", input(session, "Stop"))
      if (event.type === "session.deleted") await end(session)
    },
    dispose: async () => {
      await Promise.all([...started].map(end))
    },
  }
}
