"""What must hold of every engine and every runner, written once.

ways           the engines with their options: a new engine is a line there
runners        the doors by which events come in: a table, files, a session, a workload
laws           truth, splitting, resumption, silence, order
verdict        what the oracle expects of a case, and whether a table is that
differential   one case in several ways, for many seeded cases
compressed     how a row of EMIT COMPRESSED is read
restless       the nfa engine with a switch that never lets it be
"""
