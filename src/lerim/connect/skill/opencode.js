// Lerim's plugin for OpenCode: written by `lerim connect opencode`; `lerim disconnect opencode` takes it out.
// It asks `lerim hook` for the brief once a session, and says when a session rests, is compacted or ends.
import { spawn } from "node:child_process"

const PROGRAM = __PROGRAM__
const AGENT = __AGENT__
const ENV = __ENV__
const PATIENCE = 10000
const MOST = 1 << 20

// What Lerim says; nothing when it fails or takes too long. Never throws: a memory must not break a session.
const hook = (event, input) =>
  new Promise((resolve) => {
    let said = ""
    try {
      const child = spawn(PROGRAM, ["hook", event, "--agent", AGENT], {
        cwd: input.cwd,
        env: { ...process.env, ...ENV },
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      })
      const timer = setTimeout(() => child.kill(), PATIENCE)
      const done = (text) => {
        clearTimeout(timer)
        resolve(text)
      }
      child.on("error", () => done(""))
      child.on("close", (code) => done(code === 0 ? said : ""))
      child.stdout.on("data", (data) => {
        if (said.length < MOST) said += data
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(input))
    } catch {
      resolve("")
    }
  })

// The brief itself, however it was wrapped.
const brief = (said) => {
  try {
    const answer = JSON.parse(said)
    return answer?.hookSpecificOutput?.additionalContext ?? answer?.additionalContext ?? ""
  } catch {
    return said.trim()
  }
}

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
