from website.grammar.page import main

main()
