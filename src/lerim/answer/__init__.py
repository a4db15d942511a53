"""Questions answered from the memory: a plan, what it finds, and sentences that cite it.

answer = answer(question, memory, search, now=utc_now())
print(answer.text)
"""
